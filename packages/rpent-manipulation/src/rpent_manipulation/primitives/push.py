"""Pushing with closed fingers: sliding a thing over the table, or closing a drawer or door."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.geometry import nearest_yaw
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.fronts import find_front
from rpent_manipulation.planning.path import CLEARANCE, Load, over
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.pull import FIRM
from rpent_manipulation.primitives.waypoints import TRANSIT, at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

GAP = 0.045
"""Where the fingers come down before they touch."""

FINGER_FRONT = 0.011
"""From the grasp point to the fingers' flat side."""

SLIDE, CLOSE = 0.10, 0.22
"""How far a thing is slid, or a front pushed in, where no distance is given."""

SHUT = 0.02
"""A front that was pushed in this far and then stopped, metres, counts as shut: how far it stood open is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """A straight push."""

    contact: NDArray[np.float64]
    """(3,) where the fingers meet the thing."""
    direction: NDArray[np.float64]
    """(3,) horizontal unit vector."""
    travel_m: float
    enough_m: float
    """How far the fingers must get with the thing for the push to count."""


def push(
    world: World, thing: Found, distance_m: float | None, direction: NDArray[np.float64] | None
) -> ContactResult:
    """Push a thing along a direction, or into the front that is seen until it stops.

    Args:
        world: The scene.
        thing: What is pushed.
        distance_m: How far; None means 10 cm, or until a front stops.
        direction: (3,) world; None means into the front.
    """
    around = world.around(thing)
    if direction is not None:
        return sweep(world, thing, _slide(thing, around, direction, distance_m or SLIDE), around)
    front = find_front(thing.points, thing.eye)
    if front is None:
        return failed("give a `direction`: no front with a handle is seen")
    travel = distance_m or CLOSE
    enough = min(SHUT, travel / 2)
    plan = Sweep(contact=front.handle, direction=-front.normal, travel_m=travel, enough_m=enough)
    return sweep(world, thing, plan, around)


def _slide(thing: Found, around: Points, direction: NDArray[np.float64], distance_m: float) -> Sweep:
    along = np.array([direction[0], direction[1], 0.0])
    along = along / max(float(np.linalg.norm(along)), 1e-6)
    middle = cloud.extent(thing.points).middle
    half = float(np.ptp(np.percentile(thing.points @ along, [1, 99]))) / 2
    bottom = cloud.support_height(thing.points, around)
    lowest = bottom + gripper.TIP_BELOW_SITE + 0.004
    contact = middle - along * half
    contact[2] = max(lowest, min(float(middle[2]), bottom + 0.05))
    return Sweep(contact=contact, direction=along, travel_m=distance_m, enough_m=distance_m / 2)


def sweep(world: World, thing: Found, plan: Sweep, around: Points) -> ContactResult:
    """Come down before the thing with closed fingers, their broad side ahead, and push."""
    yaw = nearest_yaw(math.atan2(plan.direction[1], plan.direction[0]), world.home_yaw)
    start = plan.contact - GAP * plan.direction
    goal = start + plan.direction * (GAP + plan.travel_m - FINGER_FRONT)
    top = max(start[2] + 0.05, cloud.top_height(thing.points) + CLEARANCE)
    way = over(
        world.state.eef_position,
        start[:2],
        np.concatenate([around, thing.points]),
        Load(),
        world.base,
        end_z=top,
    )
    world.move([at(point, yaw=yaw, gripper="close") for point in way], TRANSIT)
    world.move([at(start, yaw=yaw, gripper="close")], {**FIRM, "position_tolerance_m": 0.008})
    pushing = at(goal, yaw=yaw, gripper="close")
    pushing["max_step_m"] = 0.025
    result = world.move([pushing], {**FIRM, "stall_steps": 10})
    moved = float((world.state.eef_position - start) @ plan.direction) - GAP + FINGER_FRONT
    away = world.state.eef_position + np.array([0.0, 0.0, 0.10]) - 0.02 * plan.direction
    world.move([at(away)], TRANSIT)
    if moved > plan.enough_m or world.state.success:
        return ContactResult(ok=True, moved_m=max(moved, 0.0))
    return failed(f"the push ended early: {result.detail or result.status}", max(moved, 0.0))
