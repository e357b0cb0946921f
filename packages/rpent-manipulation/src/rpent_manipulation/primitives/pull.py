"""Pulling a drawer or door by its handle: reach in from the front, close around the bar, draw it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.fronts import Front, find_front, reach_in
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.waypoints import TRANSIT, at, posed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

HALF_OPEN = 0.0
"""Commanded width with which the fingers go around a handle: wide enough for it, narrow enough beside others."""

STANDOFF = 0.12
FIRM: Until = {"position_tolerance_m": 0.012, "rotation_tolerance_rad": 0.1, "max_steps": 300}


def pull(
    world: World, thing: Found, distance_m: float, direction: NDArray[np.float64] | None
) -> ContactResult:
    """Pull a thing by its handle.

    Args:
        world: The scene.
        thing: The drawer or door.
        distance_m: How far the handle travels.
        direction: (3,) of the pull; None means out of the front that is seen.
    """
    front = find_front(thing.points, thing.eye, direction)
    if front is None:
        return failed("no handle stands out from its front")
    orientation = reach_in(front, world.hand_rotation)
    grip_handle(world, front, orientation)
    start = np.array(world.state.eef_position)
    if world.state.gripper_opening_m < gripper.HELD_OPENING:
        leave(world, front)
        return failed("the fingers closed beside the handle")
    goal = posed(start + front.normal * distance_m, rotations.to_quaternion(orientation), gripper="close")
    goal["max_step_m"] = 0.03
    world.move([goal], FIRM)
    moved = float((world.state.eef_position - start) @ front.normal)
    slipped = world.state.gripper_opening_m < gripper.HELD_OPENING
    leave(world, front)
    if slipped:
        return failed(f"the handle slipped out of the fingers within {moved:.3f} m", moved)
    if moved < distance_m / 2 and not world.state.success:
        return failed(f"it is blocked after {moved:.3f} m", moved)
    return ContactResult(ok=True, moved_m=moved)


def grip_handle(world: World, front: Front, orientation: NDArray[np.float64]) -> None:
    """Come to the handle from the front and close the fingers around it."""
    quaternion = rotations.to_quaternion(orientation)
    before = front.handle - STANDOFF * orientation[:, 2]
    above = before + np.array([0.0, 0.0, 0.10])
    approach = [posed(place, quaternion, gripper=HALF_OPEN) for place in (above, before)]
    world.move(approach, {**TRANSIT, "max_steps": 200})
    world.move([posed(front.handle, quaternion, gripper=HALF_OPEN)], {**FIRM, "position_tolerance_m": 0.006})
    closing = posed(front.handle, quaternion, gripper="close", steps=10)
    world.move([closing], {**FIRM, "position_tolerance_m": 0.03})


def leave(world: World, front: Front) -> None:
    """Open the fingers, back off along the front's normal, rise, and set the hand upright."""
    place = np.array(world.state.eef_position)
    back = place + 0.07 * front.normal
    world.move([at(place, gripper=HALF_OPEN), at(back)], TRANSIT)
    up = back + np.array([0.0, 0.0, 0.16])
    world.move([at(up, yaw=world.home_yaw, gripper="open")], {**TRANSIT, "max_steps": 80})
