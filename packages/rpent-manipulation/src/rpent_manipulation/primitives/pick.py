"""Picking a thing up: look at it from above, plan, descend, close, lift, and tell honestly whether it is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.grasping import Grasp, Scene, plan
from rpent_manipulation.planning.path import CLEARANCE, Load, over
from rpent_manipulation.primitives.held import held_from
from rpent_manipulation.primitives.waypoints import EXACT, TRANSIT, at

if TYPE_CHECKING:
    from rpent.env.types import ServoResult

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

LOOK_HEIGHT = 0.13
"""Grasp point above a thing's top when it is looked at with the wrist camera."""

LOW_LOOK = 0.06
"""Lower than this the wrist camera sees too little to be worth the way."""

HAND_HEIGHT = 0.24
"""From the grasp point up to the end of the wrist, and a little, where the hand points down."""

LOOK_BACK = 0.055
"""The wrist camera sits this far ahead of the grasp point at the home yaw."""

MOVED = 0.012
"""Views that differ by more than this show that a thing did not stay as it was."""

LIFT = 0.06

CLOSE_STEPS = 11
"""Control steps that the fingers need from fully open until they press on a thin rim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PickResult:
    """How a pick ended."""

    held: bool
    reason: str
    """Empty when held."""
    grasp: Grasp | None
    opening_m: float
    lifted_m: float = 0.0
    planned: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What is about to be done."""

    grasp: Grasp
    points: Points
    """(n, 3) surface of the thing when it was planned."""
    alternatives: int


def pick(
    world: World,
    thing: Found,
    strategy: Literal["auto", "top", "rim"] = "auto",
    yaw_rad: float | None = None,
    attempt: int = 0,
) -> PickResult:
    """Pick a thing up. `attempt` selects the next different grasp after failures."""
    points, obstacles = look_closely(world, thing, force=attempt > 0)
    scene = Scene(points=points, obstacles=obstacles, home_yaw=world.home_yaw, base=world.base)
    grasps = plan(scene, strategy, yaw_rad)
    if not grasps:
        return _nothing(world, "the thing is too wide for the hand and has no rim that it could take")
    chosen = Plan(grasp=grasps[attempt % len(grasps)], points=points, alternatives=len(grasps))
    result = execute(world, chosen.grasp, np.concatenate([obstacles, points]))
    return judge(world, thing, chosen, result)


def look_closely(world: World, thing: Found, *, force: bool = False) -> tuple[Points, Points]:
    """Return the thing's surface points and those of its surroundings, from the given picture and from above."""
    around = world.around(thing)
    if not force and _clear_rim(thing.points):
        return cloud.thin_out(thing.points, 0.002), around
    world.look([world.wrist])
    above = None if force else world.same_thing(thing, world.view(world.wrist))
    if above is None or not _whole(above):
        hover_over(world, thing, around)
        above = world.same_thing(thing, world.view(world.wrist))
    if above is None:
        return cloud.thin_out(thing.points, 0.002), around
    if _moved(thing, above):
        thing = world.again(thing)
        around = world.around(thing)
    points = cloud.thin_out(np.concatenate([thing.points, above.points]), 0.002)
    return points, cloud.thin_out(np.concatenate([around, world.around(above)]))


def _moved(before: Found, after: Found) -> bool:
    """Whether a thing has shifted or toppled since the first picture: what is seen from above lies elsewhere."""
    one, other = cloud.extent(before.points), cloud.extent(after.points)
    grown = np.max(other.high[:2] - one.high[:2]), np.max(one.low[:2] - other.low[:2])
    sunk = abs(cloud.top_height(before.points) - cloud.top_height(after.points))
    return bool(max(*grown, sunk) > MOVED)


def _clear_rim(points: Points) -> bool:
    """Whether the thing is a vessel whose level rim is seen all around, so that no second look is needed."""
    rim = cloud.find_rim(points)
    if rim is None or not gripper.MAX_GRASP_WIDTH / 2 < rim.circle.radius_m < 0.16:
        return False
    level = float(np.nanmax(rim.heights) - np.nanmin(rim.heights)) < 0.01
    return level and rim.circle.coverage > 0.9 and rim.circle.error_m < 0.003


def _whole(thing: Found) -> bool:
    """Whether the wrist picture shows the whole thing, near enough, and not behind the fingers."""
    row_min, col_min, row_max, col_max = thing.segment.box
    height, width = thing.segment.mask.shape
    inside = row_min > 0 and col_min > 0 and col_max < width - 1 and row_max < 0.74 * height
    return inside and int(thing.segment.mask.sum()) > 150


def hover_over(world: World, thing: Found, around: Points) -> ServoResult | None:
    """Bring the wrist camera above a thing, over whatever stands in between; not where there is no room for that."""
    middle, top = thing.middle, cloud.top_height(thing.points)
    goal = middle[:2] - LOOK_BACK * world.facing
    height = min(top + LOOK_HEIGHT, world.ceiling(middle[:2], top) - HAND_HEIGHT)
    if height < top + LOW_LOOK:
        return None
    obstacles = np.concatenate([around, thing.points])
    way = over(world.state.eef_position, goal, obstacles, Load(), world.base, end_z=height)
    last = at(way[-1], yaw=world.home_yaw, gripper="open")
    return world.move([*(at(point, gripper="open") for point in way[:-1]), last], TRANSIT)


def execute(world: World, grasp: Grasp, around: Points) -> ServoResult:
    """Approach from above, close, lift."""
    place, yaw = grasp.position, grasp.yaw_rad
    above = max(grasp.middle[2] + CLEARANCE, place[2] + 0.03)
    way = over(world.state.eef_position, place[:2], around, Load(), world.base, end_z=above)
    moved = world.move([at(point, yaw=yaw, gripper="open") for point in way], TRANSIT)
    if moved.status in ("episode_over", "cancelled"):
        return moved
    waypoints = [
        at(place, yaw=yaw, gripper="open"),
        at(place, yaw=yaw, gripper="close", steps=CLOSE_STEPS),
        at(place + np.array([0.0, 0.0, LIFT]), yaw=yaw, gripper="close"),
    ]
    return world.move(waypoints, EXACT)


def judge(world: World, thing: Found, plan: Plan, result: ServoResult) -> PickResult:
    """Tell from the fingers whether something is held, and remember it."""
    opening, grasp = world.state.gripper_opening_m, plan.grasp
    lifted = float(world.state.eef_position[2] - grasp.position[2])
    held = gripper.holds(opening) and lifted > 0.02
    world.held = held_from(thing.label, grasp, plan.points) if held else None
    return PickResult(
        held=held,
        reason="" if held else _failure(result, opening),
        grasp=grasp,
        opening_m=opening,
        lifted_m=lifted,
        planned=plan.alternatives,
    )


def _failure(result: ServoResult, opening: float) -> str:
    if result.status != "reached":
        return f"the motion ended early ({result.status}): {result.detail or 'something is in the way'}"
    if opening <= gripper.HELD_OPENING:
        return "the fingers closed on nothing"
    return "the fingers did not close"


def _nothing(world: World, reason: str) -> PickResult:
    return PickResult(held=False, reason=reason, grasp=None, opening_m=world.state.gripper_opening_m)
