"""Contact motions with things that are fixed or slide: drawers and doors by their handles, knobs, pushed things."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robot_libero.primitives import cloud, gripper
from rpent_robot_libero.primitives.fronts import Front, find_front, reach_in
from rpent_robot_libero.primitives.geometry import matrix_quaternion, nearest_yaw, quaternion_matrix
from rpent_robot_libero.primitives.grasping import Scene, plan_top
from rpent_robot_libero.primitives.path import CLEARANCE, Load, over
from rpent_robot_libero.primitives.put import TRANSIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.env.types import Until, Waypoint
    from rpent_robot_libero.world import Found, World

    Points = NDArray[np.float64]

HALF_OPEN = 0.0
"""Commanded width with which the fingers go around a handle: wide enough for it, narrow enough beside others."""

STANDOFF = 0.12
TURN_RAD = 1.3
"""How far a knob is turned: the stove's is on from 0.5 rad."""

KNOB_BAR = 0.014
"""What is within this of a knob's top is the bar that is gripped; what is below is its disc."""

FIRM: Until = {"position_tolerance_m": 0.012, "rotation_tolerance_rad": 0.1, "max_steps": 300}


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactResult:
    """How a contact motion ended."""

    ok: bool
    moved_m: float
    reason: str = ""
    angle_rad: float | None = None


def pull(
    world: World, thing: Found, distance_m: float, direction: NDArray[np.float64] | None
) -> ContactResult:
    """Pull a drawer or door by its handle: reach in from the front, close around the handle, draw it out."""
    front = find_front(thing.points, _eye(thing), direction)
    if front is None:
        return ContactResult(ok=False, moved_m=0.0, reason="no handle stands out from its front")
    rotation = reach_in(front, quaternion_matrix(world.state.eef_quaternion))
    quaternion, approach = matrix_quaternion(rotation), rotation[:, 2]
    handle = front.handle
    before = handle - STANDOFF * approach
    above = before + np.array([0.0, 0.0, 0.10])
    hand = {"quaternion": quaternion, "gripper": HALF_OPEN}
    world.move([{"position": above, **hand}, {"position": before, **hand}], {**TRANSIT, "max_steps": 200})
    closing: list[Waypoint] = [
        {"position": handle, **hand},
        {"position": handle, "quaternion": quaternion, "gripper": "close", "steps": 10},
    ]
    world.move(closing[:1], {**FIRM, "position_tolerance_m": 0.006})
    world.move(closing[1:], {**FIRM, "position_tolerance_m": 0.03})
    start = np.array(world.state.eef_position)
    if world.state.gripper_opening_m < gripper.HELD_OPENING:
        _leave(world, front)
        return ContactResult(ok=False, moved_m=0.0, reason="the fingers closed beside the handle")
    goal = start + front.normal * distance_m
    world.move([{"position": goal, "quaternion": quaternion, "gripper": "close", "max_step_m": 0.03}], FIRM)
    moved = float((world.state.eef_position - start) @ front.normal)
    slipped = world.state.gripper_opening_m < gripper.HELD_OPENING
    _leave(world, front)
    if slipped or moved < distance_m / 2:
        what = "the handle slipped out of the fingers" if slipped else "it is blocked"
        return ContactResult(ok=False, moved_m=moved, reason=f"{what} after {moved:.3f} m")
    return ContactResult(ok=True, moved_m=moved)


def push(
    world: World, thing: Found, distance_m: float | None, direction: NDArray[np.float64] | None
) -> ContactResult:
    """Push a thing with closed fingers: along a direction, or into the front that is seen until it stops."""
    points = thing.points
    extent = cloud.extent(points)
    if direction is None:
        front = find_front(points, _eye(thing), None)
        if front is None:
            return ContactResult(ok=False, moved_m=0.0, reason="give a `direction`: no front is seen")
        direction, contact, height = -front.normal, front.handle, float(front.handle[2])
        travel = distance_m or 0.22
    else:
        direction = np.array([direction[0], direction[1], 0.0])
        direction = direction / max(float(np.linalg.norm(direction)), 1e-6)
        half = float(np.ptp(np.percentile(points @ direction, [1, 99]))) / 2
        contact = extent.middle - direction * half
        bottom = cloud.support_height(points, world.around(thing))
        height = max(bottom + gripper.TIP_BELOW_SITE + 0.004, min(extent.middle[2], bottom + 0.05))
        travel = distance_m or 0.10
    return _sweep(world, thing, contact, height, direction, travel)


def _sweep(
    world: World, thing: Found, contact: Points, height: float, direction: Points, travel: float
) -> ContactResult:
    gap = 0.045
    yaw = nearest_yaw(math.atan2(direction[1], direction[0]), 0.0)
    start = np.array([*(contact - gap * direction)[:2], height])
    goal = start + direction * (gap + travel - 0.011)
    hand = {"yaw": yaw, "pitch": 0.0, "gripper": "close"}
    around = np.concatenate([world.around(thing), thing.points])
    top = max(height + 0.05, cloud.top_height(thing.points) + CLEARANCE)
    way = over(world.state.eef_position, start[:2], around, Load(), world.base, end_z=top)
    world.move([{"position": point, **hand} for point in way], TRANSIT)
    world.move([{"position": start, **hand}], {"position_tolerance_m": 0.008, "rotation_tolerance_rad": 0.1})
    result = world.move([{"position": goal, "max_step_m": 0.025, **hand}], {**FIRM, "stall_steps": 10})
    travelled = float((world.state.eef_position - start) @ direction) - gap + 0.011
    lift = np.array([0.0, 0.0, 0.10]) - 0.02 * direction
    world.move([{"position": world.state.eef_position + lift, "gripper": "hold"}], TRANSIT)
    moved = max(travelled, 0.0)
    if result.status in ("reached", "episode_over") or moved > 0.02:
        return ContactResult(ok=True, moved_m=moved)
    return ContactResult(ok=False, moved_m=moved, reason=f"the push ended early: {result.detail or result.status}")


def turn(world: World, thing: Found, direction: str) -> ContactResult:
    """Turn a knob: grasp it from above across its narrow side and rotate the wrist."""
    sign = 1.0 if direction in ("on", "counterclockwise") else -1.0
    raised = thing.points[:, 2] > cloud.top_height(thing.points) - KNOB_BAR
    points, around = thing.points[raised], np.concatenate([world.around(thing), thing.points[~raised]])
    # The wrist starts turned back, so that its whole range is ahead of it.
    scene = Scene(points=points, obstacles=around, home_yaw=-sign * TURN_RAD / 2, base=world.base)
    grasps = plan_top(scene)
    if not grasps:
        return ContactResult(ok=False, moved_m=0.0, reason="the knob is too wide for the hand", angle_rad=0.0)
    grasp = min(grasps, key=lambda one: one.cost)
    obstacles = np.concatenate([around, points])
    above = grasp.middle[2] + CLEARANCE
    way = over(world.state.eef_position, grasp.position[:2], obstacles, Load(), world.base, end_z=above)
    hand = {"yaw": grasp.yaw_rad, "pitch": 0.0}
    world.move([{"position": point, "gripper": "open", **hand} for point in way], TRANSIT)
    at: Waypoint = {"position": grasp.position, **hand}  # type: ignore[typeddict-item]
    world.move(
        [{**at, "gripper": "open"}, {**at, "gripper": "close", "steps": 11}],  # type: ignore[list-item]
        {"position_tolerance_m": 0.01, "rotation_tolerance_rad": 0.08},
    )
    before = world.gripper_yaw
    goal: Waypoint = {
        "position": grasp.position,
        "yaw": grasp.yaw_rad + sign * TURN_RAD,
        "pitch": 0.0,
        "gripper": "close",
        "max_step_rad": 0.2,
    }
    world.move([goal], {"position_tolerance_m": 0.03, "rotation_tolerance_rad": 0.1, "max_steps": 80})
    angle = (world.gripper_yaw - before + math.pi) % (2 * math.pi) - math.pi
    held = world.state.gripper_opening_m > gripper.HELD_OPENING
    up = world.state.eef_position + np.array([0.0, 0.0, 0.10])
    world.move([{"position": world.state.eef_position, "gripper": "open"}, {"position": up}], TRANSIT)
    if not held or abs(angle) < TURN_RAD / 2:
        reason = "the fingers slipped off the knob" if not held else f"it stopped after {angle:.2f} rad"
        return ContactResult(ok=False, moved_m=0.0, reason=reason, angle_rad=angle)
    return ContactResult(ok=True, moved_m=0.0, angle_rad=angle)


def _leave(world: World, front: Front) -> None:
    """Open the fingers, back off along the front's normal, rise, and set the hand upright."""
    at = np.array(world.state.eef_position)
    back = at + 0.07 * front.normal
    up = back + np.array([0.0, 0.0, 0.16])
    world.move([{"position": at, "gripper": HALF_OPEN}, {"position": back}], TRANSIT)
    world.move([{"position": up, "yaw": 0.0, "pitch": 0.0, "gripper": "open"}], {**TRANSIT, "max_steps": 80})


def _eye(thing: Found) -> NDArray[np.float64]:
    return np.asarray(thing.view.calibration.world_from_camera[:3, 3])
