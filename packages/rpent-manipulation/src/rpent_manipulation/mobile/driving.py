"""Driving: a robot that knows the floor comes to a pose on a safe way, and round what no map shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation.geometry import turn, wrap_angle
from rpent_manipulation.panda import kinematics
from rpent_manipulation.planning.floor import FloorPlan, Pose
from rpent_manipulation.planning.path import headroom
from rpent_manipulation.planning.routes import Route, Routes
from rpent_manipulation.planning.standing import BEFORE, REACHING, Distance, stand_before
from rpent_manipulation.sight import rounded
from rpent_manipulation.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from rpent.env.client import EnvClient
    from rpent.env.types import Observation, ServoResult, Until, Waypoint
    from rpent.robot import ToolContext

    from rpent_manipulation.planning.floor import Footprint

TUCKED_M = 0.12
"""A hand that is within this of its rest place rides along as it is."""
LIFT_M, BACK_M = 0.04, 0.2
"""How far a hand rises while it is drawn back by so much: from under a cabinet, before it rises to its rest place."""
DRIVING: Until = {
    "position_tolerance_m": 0.06,
    "rotation_tolerance_rad": 0.4,
    "base_tolerance_m": 0.03,
    "base_tolerance_rad": 0.03,
    "stall_steps": 20,
}
MOST_WAYS = 3
"""A robot that is stopped by what no map shows tries so many ways in all."""
BEYOND_M = 0.03
"""What has stopped it is taken to stand so far beyond its outline."""
STEPS_PER_M, LEAST_STEPS, MOST_STEPS = 60, 200, 2000
"""How long a drive may take: twice as long as it does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drive:
    """How a drive ended."""

    ok: bool
    reason: str
    """Empty when it came to where it should."""
    goal: Pose | None
    route_m: float = 0.0
    distance_left_m: float = 0.0
    turn_left_rad: float = 0.0
    steps: int = 0
    stopped_towards: Pose | None = None
    """Where it was driving to, straight, when something that no map shows stopped it."""


class DrivingWorld(World):
    """A world whose robot drives on a floor of which it has a map."""

    def __init__(
        self,
        context: ToolContext,
        env: EnvClient,
        *,
        footprint: Footprint,
        torso_range_m: tuple[float, float] = (0.0, 0.0),
        **cameras: Any,
    ) -> None:
        """Connect to the scene.

        Args:
            context: The run's context.
            env: The env server; besides the contract it serves `floor_plan`.
            footprint: The base's outline.
            torso_range_m: The lowest and the highest torso.
            cameras: See `World`.
        """
        super().__init__(context, env, **cameras)
        self.footprint, self.torso_range_m = footprint, torso_range_m
        self.reach_m = float(env.describe().get("reach_m", math.inf))
        self._plan: FloorPlan | None = None
        self._met = np.zeros((0, 2))
        self._rest = self._in_base(self.state.eef_position)

    def begin(self, observation: Observation) -> None:
        """Take over the first state of an episode, whose kitchen may be another."""
        super().begin(observation)
        self._plan, self._met = None, np.zeros((0, 2))
        self._rest = self._in_base(observation.eef_position)

    def restore(self, data: bytes) -> None:
        """Come back to a snapshot, whose doors may stand differently."""
        super().restore(data)
        self._plan = None

    def move(self, waypoints: Sequence[Waypoint], until: Until | None = None) -> ServoResult:
        """Carry out a motion; what the hand does may open or shut a door that is on the floor plan."""
        self._plan = None
        return super().move(waypoints, until)

    # --- where it is -----------------------------------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        """Where the base stands."""
        x, y = self.state.extra["base_position"][:2]
        return Pose(float(x), float(y), self.base_yaw)

    @property
    def torso_m(self) -> float:
        """How far the torso is raised."""
        return float(self.state.extra.get("torso_m", 0.0))

    @property
    def work_middle(self) -> NDArray[np.float64]:
        """(2,) where things are best put down, world: before the robot."""
        return self.pose.ahead(REACHING.best)

    @property
    def plan(self) -> FloorPlan:
        """The floor plan, and what was driven into: fetched again after the hand has moved, which may open a door."""
        if self._plan is None:
            self._plan = FloorPlan.from_data(self.env.channel.call("floor_plan")).blocked_at(self._met)
        return self._plan

    def routes(self) -> Routes:
        """Return the ways from where it stands."""
        return Routes(self.plan, self.footprint, self.pose)

    def _in_base(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a place (3,) relative to the arm's base, in the robot's own directions."""
        away = position - self.base
        return np.array([*turn(away[:2], -self.base_yaw), away[2]])

    def _from_base(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.base + np.array([*turn(place[:2], self.base_yaw), place[2]]))

    # --- driving ---------------------------------------------------------------------------------------------------

    def drive_to(self, xy: NDArray[np.float64], yaw: float) -> Drive:
        """Drive to a pose on the shortest safe way, in one call of the env server for each way that is tried."""
        goal = Pose(float(xy[0]), float(xy[1]), yaw)
        return self._drive_ways(lambda _: goal, "")

    def drive_before(
        self,
        point: NDArray[np.float64],
        outward: NDArray[np.float64] | None = None,
        distance: Distance = BEFORE,
    ) -> Drive:
        """Drive to where the robot stands before a point and faces it."""
        nowhere = f"there is no room to stand before {rounded(np.asarray(point)[:2], 2)}"
        return self._drive_ways(lambda routes: stand_before(routes, point, distance, outward), nowhere)

    def _drive_ways(
        self, choose: Callable[[Routes], Pose | None], nowhere: str, torso_m: float | None = None
    ) -> Drive:
        """Drive to a goal; when something that is not on the map stops it, mark that and choose goal and way anew.

        Args:
            choose: Returns where it goes, given the ways that there are.
            nowhere: Why it does not go when that is None.
            torso_m: How high the torso stands there; None leaves it.
        """
        steps, stopped = 0, ""
        for way in range(1, MOST_WAYS + 1):
            routes = self.routes()
            goal = choose(routes)
            route = None if goal is None else routes.to(goal)
            if goal is None or route is None:
                why = nowhere if goal is None else self._no_way(goal)
                return self._ended(goal, f"{stopped}; then {why}" if stopped else why, steps=steps)
            drive = self._drive(route, goal, torso_m)
            steps += drive.steps
            if drive.stopped_towards is None or way == MOST_WAYS or not self._note_met(drive.stopped_towards):
                break
            stopped = drive.reason
        reason = f"{drive.reason} ({way} ways tried)" if drive.reason and way > 1 else drive.reason
        return replace(drive, steps=steps, reason=reason)

    def _no_way(self, goal: Pose) -> str:
        free = self.plan.stands_free(goal, self.footprint)
        why = "no way leads there" if free else "something stands there"
        return f"{why}: {rounded(goal.xy, 2)} facing {goal.yaw:.2f} rad"

    def _note_met(self, towards: Pose) -> bool:
        """Mark what stopped the base on its way to a pose; nothing is marked, and False returned, when it turned."""
        here = self.pose
        ahead = towards.xy - here.xy
        if float(np.linalg.norm(ahead)) < DRIVING["base_tolerance_m"]:
            return False
        self._met = np.concatenate([self._met, self.footprint.leading_edge(here, ahead, BEYOND_M)])
        self._plan = None
        return True

    def drive_straight(self, forward_m: float, left_m: float, turn_rad: float) -> Drive:
        """Drive by so much from where it stands, without looking at the floor plan; what is in the way stops it."""
        here = self.pose
        xy = here.xy + turn(np.array([forward_m, left_m]), here.yaw)
        goal = Pose(float(xy[0]), float(xy[1]), here.yaw + turn_rad)
        return self._drive(Route(poses=(goal,), exact=(True,), length_m=math.hypot(forward_m, left_m)), goal)

    def _drive(self, route: Route, goal: Pose, torso_m: float | None = None) -> Drive:
        """Draw the hand in, lift or lower the torso, and drive the route: one call."""
        tuck = self._tuck()
        waypoints: list[Waypoint] = []
        for pose, exact in zip(route.poses, route.exact, strict=True):
            waypoint: Waypoint = {"base_position": pose.xy}
            if exact:
                waypoint["base_yaw"] = pose.yaw
            waypoints.append(waypoint)
        if torso_m is not None:  # what rises may stand under an open door: it drives away first
            waypoints.insert(len(waypoints) if torso_m > self.torso_m else 0, {"torso_m": torso_m})
        if not waypoints:
            return self._ended(goal, "")
        steps = min(MOST_STEPS, LEAST_STEPS + round(STEPS_PER_M * route.length_m))
        first = self.state.step
        result = self._servo([*tuck, *waypoints], {**DRIVING, "max_steps": steps})
        reached = result.waypoints_reached - len(tuck)
        if result.status == "stalled" and reached < 0:  # a hand that cannot be drawn in rides along as it is
            result = self._servo(waypoints, {**DRIVING, "max_steps": steps})
            reached = result.waypoints_reached
        reason = "" if result.status == "reached" else _reason(result)
        drive = self._ended(goal, reason, route.length_m, self.state.step - first)
        at = waypoints[reached].get("base_position") if result.status == "stalled" else None
        return (
            drive
            if at is None
            else replace(drive, stopped_towards=Pose(float(at[0]), float(at[1]), goal.yaw))
        )

    def _tuck(self) -> list[Waypoint]:
        """Return waypoints that draw a stretched hand in to where it rests: back first, then up.

        What it holds may stand in something, such as a sink: then it rises first, as far as there is room.
        """
        here = self._in_base(self.state.eef_position)
        if np.linalg.norm(here - self._rest) < TUCKED_M:
            return []
        highest = kinematics.highest(self.state.eef_position, self.base) - self.base[2] - 0.02
        way: list[Waypoint] = []
        if self.held is not None:
            eef = self.state.eef_position
            room = headroom(eef[:2], self.overhead(float(eef[2]))) - self.base[2]
            here = np.array([*here[:2], max(here[2], min(self._rest[2], highest, room))])
            way.append({"position": self._from_base(here)})
        rise = min(here[2] + LIFT_M, self._rest[2], highest)
        inward = self._rest[:2] - here[:2]
        back = here[:2] + inward * min(1.0, BACK_M / max(float(np.linalg.norm(inward)), 1e-6))
        out = np.array([*back, max(here[2], rise)])
        upright: Waypoint = {"position": self._from_base(self._rest), "yaw": self.home_yaw, "pitch": 0.0}
        return [*way, {"position": self._from_base(out)}, upright]

    def _ended(self, goal: Pose | None, reason: str, route_m: float = 0.0, steps: int = 0) -> Drive:
        here = self.pose
        left = 0.0 if goal is None else float(np.linalg.norm(goal.xy - here.xy))
        turned = 0.0 if goal is None else abs(wrap_angle(goal.yaw - here.yaw))
        return Drive(
            ok=not reason,
            reason=reason,
            goal=goal,
            route_m=route_m,
            distance_left_m=left,
            turn_left_rad=turned,
            steps=steps,
        )


def _reason(result: ServoResult) -> str:
    named = {
        "stalled": "it is blocked",
        "step_budget": "out of steps",
        "episode_over": "the episode is over",
        "cancelled": "cancelled",
    }
    text = named.get(result.status, result.status)
    return f"{text}: {result.detail}" if result.detail else text
