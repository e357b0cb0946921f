"""Tools that drive a mobile base: to a place, before a thing, or by so much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field
from rpent.errors import ToolError
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

from rpent_manipulation.geometry import direction
from rpent_manipulation.planning.floor import Pose
from rpent_manipulation.sight import rounded
from rpent_manipulation.tools.motion import Angle  # noqa: TC001  (schemas are made from annotations)

if TYPE_CHECKING:
    from rpent_manipulation.mobile.driving import Drive
    from rpent_manipulation.mobile.world import MobileWorld
    from rpent_manipulation.sight import Found

Place = Annotated[list[float], Field(min_length=2, max_length=2)]
Metres = Annotated[float, Field(ge=-2, le=2)]

LOOKS = 4
"""A thing that is not seen is looked for in so many directions, then again from the middle of the room."""


class NavigationTools:
    """`navigate_to`, `turn_base`, `move_base`."""

    world: MobileWorld

    @tool
    def navigate_to(
        self,
        xy: Place | None = None,
        target: str | None = None,
        segment_id: str | None = None,
        yaw_rad: Angle | None = None,
    ) -> ToolResult:
        """Drive to a place, or to where the robot stands before a thing and faces it; round what is in the way.

        Args:
            xy: Where the base goes [x, y], metres, world frame. A place where furniture stands is driven up to.
            target: Instead, a thing to stand before, as a short noun phrase; when it is not in the pictures, the robot
                turns to look for it.
            segment_id: Instead, a candidate of `segment`.
            yaw_rad: Which way the robot faces in the end (0 along the world's x axis, 1.57 along y); left out, it faces
                the thing, or keeps its direction.

        Returns:
            `base_position` and `base_yaw_rad` at the end, `distance_left_m` to the goal, `route_m`: length of the way;
            `reason` when it did not arrive.
        """
        if sum(given is not None for given in (xy, target, segment_id)) != 1:
            raise ToolError("Say where to: `xy`, a `target` or a `segment_id`, one of them.")
        if xy is not None:
            return self._driven(self._to_place(np.asarray(xy, dtype=np.float64), yaw_rad))
        thing = self.world.known(segment_id) if segment_id else self._sought(str(target))
        outward = None if yaw_rad is None else -direction(yaw_rad)
        return self._driven(self.world.drive_before(thing.middle, outward), thing.label)

    @tool
    def turn_base(self, angle_rad: Angle) -> ToolResult:
        """Turn the whole robot where it stands; where it has no room to turn it moves away from the furniture first.

        Args:
            angle_rad: By how much, counter-clockwise seen from above; 1.57 is a quarter turn to the left.

        Returns:
            As `navigate_to`.
        """
        here = self.world.pose
        return self._driven(self._turned(here.yaw + angle_rad))

    @tool
    def move_base(self, forward_m: Metres = 0.0, left_m: Metres = 0.0, turn_rad: Angle = 0.0) -> ToolResult:
        """Drive straight by so much, as the robot stands, sideways too; it does not go round things but stops at them.

        Args:
            forward_m: Ahead; negative drives back.
            left_m: To the robot's left; negative drives right.
            turn_rad: Counter-clockwise turn meanwhile.

        Returns:
            As `navigate_to`.
        """
        return self._driven(self.world.drive_straight(forward_m, left_m, turn_rad))

    def _to_place(self, xy: Any, yaw_rad: float | None) -> Drive:
        world = self.world
        if not np.isfinite(xy).all():
            raise ToolError("`xy` is two finite numbers [x, y] in metres.")
        low, high = world.plan.extent
        if np.any(xy < low) or np.any(xy > high):
            raise ToolError(
                f"`xy` {rounded(xy, 2)} is outside the room.",
                hint=f"The room is from {rounded(low, 2)} to {rounded(high, 2)} (x, y, metres, world).",
            )
        yaw = world.base_yaw if yaw_rad is None else yaw_rad
        if world.plan.stands_free(Pose(float(xy[0]), float(xy[1]), yaw), world.footprint):
            return world.drive_to(xy, yaw)
        return world.drive_before(xy, None if yaw_rad is None else -direction(yaw_rad))

    def _turned(self, yaw: float) -> Drive:
        """Turn on the spot, or on the nearest spot where there is room for it."""
        goal = self.world.routes().turned(yaw)
        if goal is None:
            return self.world.drive_straight(0.0, 0.0, yaw - self.world.base_yaw)
        return self.world.drive_to(goal.xy, yaw)

    def _sought(self, target: str) -> Found:
        """Return the thing that a prompt names, after turns in search of it where it is not in sight.

        Raises:
            ToolError: It is seen from no side.
        """
        world = self.world
        found = self._seen_around(target)
        if found is None and not world.state.episode_over:
            middle = world.routes().roomiest(world.base_yaw)
            if middle is not None and world.drive_to(middle.xy, middle.yaw).ok:
                found = self._seen_around(target)
        if found is None:
            raise ToolError(
                f"`{target}` is not in sight from here, in whatever direction.",
                hint="Try other words, or drive on.",
            )
        return found

    def _seen_around(self, target: str) -> Found | None:
        world, first = self.world, self.world.base_yaw
        for look in range(LOOKS):
            if look:
                self._turned(first + 2 * np.pi * look / LOOKS)
            found = world.find(target)
            if found:
                return found[0]
        return None

    def _driven(self, drive: Drive, label: str | None = None) -> ToolResult:
        here = self.world.pose
        ok = drive.ok or self.world.state.success
        data: dict[str, Any] = {
            "ok": ok,
            "base_position": rounded(here.xy, 3),
            "base_yaw_rad": round(float(np.angle(np.exp(1j * here.yaw))), 3),
            "distance_left_m": round(drive.distance_left_m, 3),
            "route_m": round(drive.route_m, 3),
            "steps": drive.steps,
            "reason": "" if ok else drive.reason,
        }
        return ToolResult(data={"target": label, **data} if label else data)
