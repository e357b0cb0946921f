"""Swinging a light part aside with closed finger tips: a sink's spout about its pipe, a faucet's handle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.geometry import turn
from rpent_manipulation.planning.controls import UP, nearer, pointing
from rpent_manipulation.primitives.base import brought
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.fingers import HALF_FLAT_M, back_off, line_up, push_through, tips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

LONG_M = 0.10
"""A part that reaches this far out horizontally swings about an upright pipe at its other end."""

SWING_RAD = 1.05
"""How far a spout is swung: to the side is from 0.52 rad on."""

SHOVE_M = 0.09
"""How far a handle is pushed."""

GAP_M = 0.03
"""Free space left between finger tips and a part before they touch it."""

INSIDE_M = 0.03
"""How far from its free end a part is pushed."""

PAST_M = 0.02
"""How far the tips reach past the part that they push."""

TO_THE_RIGHT = ("on", "clockwise", "increase")
"""A faucet's handle stands on the right of its spout and opens outwards."""

HEIGHT_SHARE = 0.65
"""How high up its visible height a handle is pushed."""

DIP_RAD = math.radians(25)
ARC_STEP_RAD = math.radians(12)


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    """A part that swings about an upright axis."""

    pivot: NDArray[np.float64]
    """(2,) horizontal place of the axis."""
    end: NDArray[np.float64]
    """(3,) the free end."""


def find_arm(points: Points) -> Arm | None:
    """Return where a spout turns and ends: about its lowest points, which are its pipe; None for a short part."""
    low = points[points[:, 2] < np.percentile(points[:, 2], 1) + 0.04]
    pivot = np.median(low[:, :2], axis=0)
    distance = np.linalg.norm(points[:, :2] - pivot, axis=1)
    reach = float(np.percentile(distance, 98))
    if reach < LONG_M:
        return None
    return Arm(pivot=pivot, end=np.median(points[distance > reach - 0.015], axis=0))


def swing(
    world: World, thing: Found, aside: NDArray[np.float64], distance_m: float | None = None
) -> ContactResult:
    """Push a spout or handle aside.

    Args:
        world: The scene.
        thing: The part.
        aside: (3,) unit vector of the push, world.
        distance_m: How far; left out, far enough to count as turned.
    """
    thing = brought(world, thing, thing.middle, np.array([*-world.facing, 0.0]))
    ahead = np.array([*world.facing, 0.0])
    arm = find_arm(thing.points) if abs(aside @ UP) < 0.5 else None
    way = _arc(arm, aside, distance_m) if arm else _line(thing.points, aside, ahead, distance_m or SHOVE_M)
    approach = ahead * math.cos(DIP_RAD) - UP * math.sin(DIP_RAD)
    closing = UP if abs(aside @ UP) < 0.5 else np.cross(UP, ahead)
    rotation = nearer(pointing(approach, closing), world.hand_rotation)
    before = way[0] - 0.12 * approach
    line_up(world, [before, way[0]], rotation)
    result = push_through(world, way[2:], rotation)
    moved = float(np.linalg.norm(tips(world) - way[1]))
    back_off(world, -approach)
    far = moved > 0.5 * float(np.linalg.norm(way[-1] - way[1]))
    if result.status == "reached" or far or world.state.success:
        return ContactResult(ok=True, moved_m=moved)
    return failed(f"the push ended early: {result.detail or result.status}", moved)


def turn_handle(world: World, thing: Found, direction: str) -> ContactResult:
    """Turn a faucet's handle on or off: push it to the right, or back to the left.

    Args:
        world: The scene.
        thing: The handle.
        direction: `on`, `off`, or the sense as seen from the front.
    """
    left = np.array([*world.leftward, 0.0])
    return swing(world, thing, -left if direction in TO_THE_RIGHT else left)


def _arc(arm: Arm, aside: NDArray[np.float64], distance_m: float | None) -> list[NDArray[np.float64]]:
    """Return the tips' places (3,): beside the arm, at it, and along its arc towards `aside`."""
    out = arm.end[:2] - arm.pivot
    radius = float(np.linalg.norm(out)) - INSIDE_M
    out = out / np.linalg.norm(out)
    sense = math.copysign(1.0, out[0] * aside[1] - out[1] * aside[0])
    total = SWING_RAD if distance_m is None else distance_m / radius
    gap, touch = ((HALF_FLAT_M + width) / radius for width in (0.02 + GAP_M, 0.005))
    angles = [-gap, -touch, *np.arange(ARC_STEP_RAD, total, ARC_STEP_RAD), total]
    return [np.array([*(arm.pivot + radius * turn(out, sense * angle)), arm.end[2]]) for angle in angles]


def _line(
    points: Points, aside: NDArray[np.float64], ahead: NDArray[np.float64], distance_m: float
) -> list[NDArray[np.float64]]:
    """Return the tips' places (3,): beside the part, at it, and past it."""
    bottom, top = float(np.percentile(points[:, 2], 2)), cloud.top_height(points)
    height = bottom + HEIGHT_SHARE * (top - bottom)
    level = points[np.abs(points[:, 2] - height) < 0.015]
    level = level if len(level) >= 4 else points
    middle = cloud.extent(level).middle
    middle = np.array([*middle[:2], height]) + PAST_M * ahead
    side = middle + (float(np.percentile(level @ aside, 3)) - HALF_FLAT_M - middle @ aside) * aside
    return [side - GAP_M * aside, side, side + distance_m * aside]
