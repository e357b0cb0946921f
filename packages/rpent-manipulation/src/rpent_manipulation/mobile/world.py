"""The scene of a robot that drives: it comes to what it works on by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import ToolError

from rpent_manipulation import cloud
from rpent_manipulation.geometry import wrap_angle
from rpent_manipulation.mobile.driving import DRIVING, LEAST_STEPS, DrivingWorld
from rpent_manipulation.planning.path import NOTHING
from rpent_manipulation.planning.routes import Route
from rpent_manipulation.planning.standing import REACHING, Distance, stand_before
from rpent_manipulation.sight import rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found, View

AT_WORK = Distance(nearest=0.38, best=REACHING.best, farthest=0.76)
"""From here the robot need not drive to a point."""
ASIDE_M = 0.30
"""Nor when the point is so far to its left or right."""
SIDEWAYS_RAD = 0.7
"""Nor when it would look at it from so far beside the wanted direction."""
COUNTER_M = 1.2
"""Up to this height the arm works from the lowered torso: its shoulder is then 1.03 m above the floor. With the hand
level or pointing down it reaches 0.3 to 0.65 m ahead there; from 1.0 m down a level hand needs a twisted elbow."""
LOW_M = 0.5
"""Below this height only a hand that points down or is tilted reaches, and not far: 0.3 to 0.45 m ahead at 0.3 m."""
LOW = Distance(nearest=0.32, best=0.42, farthest=0.6)
REACH_MARGIN_M = 0.005
"""The base may give way a little between planning and moving."""
TORSO_STEP_M = 0.06
"""Smaller changes of the torso are not worth it."""
OVERHEAD_M = 0.3
"""What is so far above a thing hangs over it: a wall cabinet over a counter does by half a metre."""
OVERHEAD_CELL_M = 0.01


class MobileWorld(DrivingWorld):
    """A world whose robot comes to what it works on."""

    def again(self, thing: Found) -> Found:
        """Return a thing as it is seen now, by whatever camera; as it was seen before where it is hidden now."""
        for camera in dict.fromkeys((thing.view.camera, *self.seekers)):
            found = self.same_thing(thing, self.view(camera))
            if found is not None:
                return found
        return thing

    def target(self, prompt: str | None, segment_id: str | None) -> Found:
        """Return the one thing that a tool call means; see `World`. A stretched arm that may hide it is drawn in."""
        try:
            return super().target(prompt, segment_id)
        except ToolError:
            if segment_id or not prompt or not self._tuck():
                raise
            self.draw_in()
            return super().target(prompt, segment_id)

    def draw_in(self) -> None:
        """Draw a stretched hand in to where it rests."""
        tuck = self._tuck()
        if tuck:
            self._servo(tuck, {**DRIVING, "max_steps": LEAST_STEPS})

    def within(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the place (3,) nearest to a position that the hand may be sent to; see `World`."""
        place = super().within(position)
        away = place - self.base
        most = self.reach_m - REACH_MARGIN_M
        return np.asarray(self.base + away * min(1.0, most / max(float(np.linalg.norm(away)), 1e-6)))

    def around(self, thing: Found) -> Points:
        """Return what is around a thing, without what hangs over it: a hand passes under cabinets, not over them."""
        overhead = float(np.percentile(thing.points[:, 2], 90)) + OVERHEAD_M
        points = super().around(thing)
        return np.asarray(points[points[:, 2] < overhead])

    def everything(self, view: View, without: NDArray[np.bool_] | None = None) -> Points:
        """Return the surface points of a picture; see `World`. Where no thing is meant, none high over the hand."""
        points = super().everything(view, without)
        if without is not None:
            return points
        return np.asarray(points[points[:, 2] < self.state.eef_position[2] + OVERHEAD_M])

    def overhead(self, above_z: float) -> Points:
        """Return the surface points (n, 3) of what hangs over things, from all present pictures; see `World`."""
        seen = [super(MobileWorld, self).everything(view) for view in self._views.values()]
        points = np.concatenate(seen) if seen else NOTHING
        return cloud.thin_out(points[points[:, 2] > above_z + OVERHEAD_M], OVERHEAD_CELL_M)

    def check_position(self, position: Any) -> NDArray[np.float64]:
        """Return the position as an array; see `World`.

        Raises:
            ToolError: It is outside the room, or farther from the arm than it reaches.
        """
        point = super().check_position(position)
        far = float(np.linalg.norm(point - self.base))
        if far > self.reach_m:
            raise ToolError(
                f"Position {rounded(point, 3)} is {far:.2f} m from the arm's base, which reaches {self.reach_m:.2f} m.",
                hint="Drive nearer first: `navigate_to` or `move_base`.",
            )
        return point

    def bring_within_reach(
        self, point: NDArray[np.float64], outward: NDArray[np.float64] | None = None
    ) -> bool:
        """Drive to where the arm reaches a point, and raise or lower the torso to its height; see `World`."""
        torso = self._torso_for(float(point[2]))
        lift = abs(torso - self.torso_m) > TORSO_STEP_M
        far = not self._at_work(point, outward)
        if not (lift or far):
            return False
        before, height = self.state.step, torso if lift else None
        if far:
            distance = LOW if point[2] < LOW_M else REACHING
            self._drive_ways(lambda routes: stand_before(routes, point, distance, outward), "", height)
        if lift and self.state.step == before:  # there is no way, or it is there already
            self._drive(Route(poses=(), exact=(), length_m=0.0), self.pose, height)
        return self.state.step != before

    def _at_work(self, point: NDArray[np.float64], outward: NDArray[np.float64] | None) -> bool:
        """Whether the arm reaches a point well from where it stands, from the wanted side."""
        ahead, left, _ = self._in_base(point)
        nearest, farthest = (
            (LOW.nearest, LOW.farthest) if point[2] < LOW_M else (AT_WORK.nearest, AT_WORK.farthest)
        )
        near = bool(nearest <= ahead <= farthest and abs(left) <= ASIDE_M)
        if outward is None or np.linalg.norm(outward[:2]) < 1e-6:
            return near
        seen_from = math.atan2(-outward[1], -outward[0])
        return near and abs(wrap_angle(seen_from - self.base_yaw)) <= SIDEWAYS_RAD

    def _torso_for(self, height: float) -> float:
        return float(np.clip(height - COUNTER_M, *self.torso_range_m))

    def summary(self) -> Mapping[str, Any]:
        """Return the robot's state as plain data."""
        here = self.pose
        return {
            **super().summary(),
            "base_position": rounded(here.xy),
            "base_yaw_rad": round(wrap_angle(here.yaw), 4),
            "torso_m": round(self.torso_m, 4),
        }
