"""Closed fingers as a tool: lining them up before a thing, moving them in contact, backing off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.panda import gripper, inverse
from rpent_manipulation.planning.controls import nearer, pointing
from rpent_manipulation.primitives.waypoints import posed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rpent.env.types import ServoResult, Until, Waypoint

    from rpent_manipulation.world import World

HALF_FLAT_M = 0.014
"""From the middle between the finger tips to a closed finger's outer side, across the closing direction."""

PUSHING: Until = {
    "position_tolerance_m": 0.01,
    "rotation_tolerance_rad": 0.5,
    "max_steps": 160,
    "stall_steps": 10,
}
STEPS_EACH = 30
"""Control steps that a long push may take from one of its places to the next."""

LINED_UP: Until = {
    "position_tolerance_m": 0.012,
    "rotation_tolerance_rad": 0.15,
    "max_steps": 160,
    "stall_steps": 20,
}

TOUCH_N = 3.0
"""Force on the hand that shows a contact, newtons."""

REACHED = 0.012
"""A way of the hand whose predicted error stays below this, metres, can be followed."""

WITHDRAW_M = 0.20
"""How far the hand backs off: benchmarks ask that it ends more than 0.15 m away."""


def tips_at(
    tips: NDArray[np.float64],
    rotation: NDArray[np.float64],
    *,
    width: float | str = "close",
    speed_m: float = 0.05,
) -> Waypoint:
    """Return the waypoint that brings the finger tips to a place (3,) with an orientation (3, 3) of the hand."""
    site = tips - gripper.TIP_BELOW_SITE * rotation[:, 2]
    waypoint = posed(site, rotations.to_quaternion(rotation), gripper=width)
    waypoint["max_step_m"] = speed_m
    return waypoint


def hand_choices(
    world: World,
    ways: Sequence[Sequence[NDArray[np.float64]]],
    orientations: Sequence[NDArray[np.float64] | Sequence[NDArray[np.float64]]],
) -> list[int]:
    """Return the indices of the ways of the finger tips that the arm can follow, in their order.

    Args:
        world: The scene; the base stands where it will stand.
        ways: Places (3,) of the finger tips, one list for each choice.
        orientations: (3, 3) of the hand for each choice, or one for each place of it.

    Returns:
        Where none can be followed, only the one that misses least.
    """
    misses = [miss(world, way, each) for way, each in zip(ways, orientations, strict=True)]
    good = [index for index, missed in enumerate(misses) if missed < REACHED]
    return good or [int(np.argmin(misses))]


def miss(
    world: World,
    way: Sequence[NDArray[np.float64]],
    hands: NDArray[np.float64] | Sequence[NDArray[np.float64]],
) -> float:
    """Return by how much the arm misses a way: the largest error, metres, a radian counting as a tenth.

    Args:
        world: The scene, with the base where it stands.
        way: Places (3,) of the finger tips.
        hands: (3, 3) of the hand, or one for each place.
    """
    turned = rotations.from_yaw(world.base_yaw)
    joints, worst = np.asarray(world.state.joint_positions), 0.0
    for place, rotation in zip(way, _for_each(hands, way), strict=True):
        site = place - gripper.TIP_BELOW_SITE * rotation[:, 2]
        posture = inverse.solve(turned.T @ (site - world.base), turned.T @ rotation, joints)
        joints = posture.joints
        worst = max(worst, posture.position_error_m, 0.1 * posture.rotation_error_rad)
    return worst


def _for_each(
    hands: NDArray[np.float64] | Sequence[NDArray[np.float64]], places: Sequence[NDArray[np.float64]]
) -> Sequence[NDArray[np.float64]]:
    """Return an orientation for each place, from one for each or one for all."""
    return [hands] * len(places) if isinstance(hands, np.ndarray) else hands


def both_hands(
    world: World, approaches: Sequence[NDArray[np.float64]], closing: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return the hand's orientations (3, 3) for approach directions (3,), each the one nearer to the present one."""
    return [nearer(pointing(approach, closing), world.hand_rotation) for approach in approaches]


def choose(
    world: World,
    ways: Sequence[Sequence[NDArray[np.float64]]],
    orientations: Sequence[NDArray[np.float64] | Sequence[NDArray[np.float64]]],
    attempt: int = 0,
) -> int:
    """Return the index of the best way that the arm can follow, or for a further attempt of another one."""
    good = hand_choices(world, ways, orientations)
    return good[attempt % len(good)]


def tips(world: World) -> NDArray[np.float64]:
    """Return where the finger tips (3,) are."""
    return np.asarray(world.state.eef_position + gripper.TIP_BELOW_SITE * world.hand_rotation[:, 2])


def go(world: World, waypoints: Sequence[Waypoint], until: Until) -> ServoResult:
    """Carry out a motion that was planned from what is seen: a place out of reach is drawn in to where reach ends."""
    way = [waypoint.copy() for waypoint in waypoints]
    for waypoint in way:
        if "position" in waypoint:
            waypoint["position"] = world.within(np.asarray(waypoint["position"]))
    return world.move(way, until)


def line_up(
    world: World,
    places: Sequence[NDArray[np.float64]],
    rotation: NDArray[np.float64],
    width: float | str = "close",
) -> ServoResult:
    """Bring the finger tips through free places (3,), the last of them near a thing."""
    return go(world, [tips_at(place, rotation, width=width) for place in places], LINED_UP)


def push_through(
    world: World,
    places: Sequence[NDArray[np.float64]],
    rotations_: NDArray[np.float64] | Sequence[NDArray[np.float64]],
    *,
    width: float | str = "close",
    speed_m: float = 0.025,
) -> ServoResult:
    """Move the finger tips through places (3,) against what they push, each with its orientation or all with one."""
    way = [
        tips_at(place, rotation, width=width, speed_m=speed_m)
        for place, rotation in zip(places, _for_each(rotations_, places), strict=True)
    ]
    return go(world, way, {**PUSHING, "max_steps": max(PUSHING["max_steps"], STEPS_EACH * len(way))})


def back_off(world: World, away: NDArray[np.float64], distance_m: float = WITHDRAW_M) -> ServoResult:
    """Move the hand away from what it touched, along a direction (3,), without turning it."""
    place = np.array(world.state.eef_position)
    away = away / max(float(np.linalg.norm(away)), 1e-6)
    return go(world, [{"position": place + distance_m * away, "gripper": "hold"}], LINED_UP)
