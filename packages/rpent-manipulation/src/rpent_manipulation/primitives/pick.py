"""Picking a thing up: look at it from above, plan, descend, close, lift, and tell honestly whether it is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.grasping import Grasp, Scene, plan
from rpent_manipulation.planning.path import CLEARANCE, NOTHING, Load, headroom, over
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

LOOK_BACK = 0.055
"""The wrist camera sits this far ahead of the grasp point at the home yaw."""

MOVED = 0.012
"""Views that differ by more than this show that a thing did not stay as it was."""

LIFT = 0.06


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
    overhead = world.overhead(cloud.top_height(thing.points))
    points, obstacles = look_closely(world, thing, overhead, force=attempt > 0)
    scene = Scene(points=points, obstacles=obstacles, home_yaw=world.home_yaw, base=world.base)
    grasps = plan(scene, strategy, yaw_rad)
    if not grasps:
        return _nothing(world, "the thing is too wide for the hand and has no rim that it could take")
    chosen = Plan(grasp=grasps[attempt % len(grasps)], points=points, alternatives=len(grasps))
    result = execute(world, chosen.grasp, np.concatenate([obstacles, points]), overhead)
    return judge(world, thing, chosen, result)


def look_closely(
    world: World, thing: Found, overhead: Points = NOTHING, *, force: bool = False
) -> tuple[Points, Points]:
    """Return the thing's surface points and those of its surroundings, from the given picture and from above.

    Args:
        world: The scene.
        thing: As it was found.
        overhead: (k, 3) surface of what hangs over the way of the hand.
        force: Look from above even where the thing seems to be seen well enough.
    """
    around = world.around(thing)
    if not force and _clear_rim(thing.points):
        return cloud.thin_out(thing.points, 0.002), around
    world.look([world.wrist])
    above = None if force else world.same_thing(thing, world.view(world.wrist))
    if above is None or not _whole(above):
        hover_over(world, thing, around, overhead)
        above = world.same_thing(thing, world.view(world.wrist))
    if above is None:
        return cloud.thin_out(thing.points, 0.002), around
    if _moved(thing, above):
        thing = world.again(thing)
        around = world.around(thing)
    seen = below_top(thing.points, above.points) if _whole(above) else thing.points
    points = cloud.thin_out(np.concatenate([seen, above.points]), 0.002)
    return points, cloud.thin_out(np.concatenate([around, world.around(above)]))


def below_top(points: Points, above: Points) -> Points:
    """Drop points of a thing that are higher than all that is seen of the whole thing from above.

    They belong to what stands before it in the picture, such as a pan's rim, and got into its mask at the border.
    """
    return np.asarray(points[points[:, 2] <= cloud.top_height(above) + MOVED])


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


def hover_over(world: World, thing: Found, around: Points, overhead: Points = NOTHING) -> ServoResult | None:
    """Bring the wrist camera above a thing, over whatever stands in between; not where there is no room for that."""
    middle, top = thing.middle, cloud.top_height(thing.points)
    goal = middle[:2] - LOOK_BACK * world.facing
    height = min(top + LOOK_HEIGHT, headroom(middle[:2], overhead))
    if height < top + LOW_LOOK:
        return None
    obstacles = np.concatenate([around, thing.points])
    yaws = (world.gripper_yaw, world.home_yaw)
    way = over(
        world.state.eef_position,
        goal,
        obstacles,
        Load(),
        world.base,
        end_z=height,
        overhead=overhead,
        yaws=yaws,
    )
    last = at(way[-1], yaw=world.home_yaw, gripper="open")
    return world.move([*(at(point, gripper="open") for point in way[:-1]), last], TRANSIT)


def execute(world: World, grasp: Grasp, around: Points, overhead: Points = NOTHING) -> ServoResult:
    """Approach from above, close, lift."""
    place, yaw = grasp.position, grasp.yaw_rad
    above = max(grasp.middle[2] + CLEARANCE, place[2] + 0.03)
    way = over(
        world.state.eef_position,
        place[:2],
        around,
        Load(),
        world.base,
        end_z=above,
        overhead=overhead,
        yaws=(world.gripper_yaw, yaw),
    )
    moved = world.move([at(point, yaw=yaw, gripper="open") for point in way], TRANSIT)
    if moved.status in ("episode_over", "cancelled"):
        return moved
    fingers = "open" if grasp.opening_m >= gripper.MAX_OPENING else gripper.command(grasp.opening_m)
    waypoints = [
        at(place, yaw=yaw, gripper=fingers),
        at(place, yaw=yaw, gripper="close", steps=world.close_steps),
        at(place + np.array([0.0, 0.0, LIFT]), yaw=yaw, gripper="close"),
    ]
    return world.move(waypoints, EXACT)


def judge(world: World, thing: Found, plan: Plan, result: ServoResult) -> PickResult:
    """Tell from the fingers whether something is held, and remember it."""
    opening, grasp = world.state.gripper_opening_m, plan.grasp
    lifted = float(world.state.eef_position[2] - grasp.position[2])
    closed = result.waypoints_reached > 0 or result.status == "episode_over"
    held = closed and gripper.holds(opening) and lifted > 0.02
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
