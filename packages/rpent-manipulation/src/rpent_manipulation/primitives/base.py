"""Where the robot stands for a contact motion, and moving a thing by driving while the hand holds or pushes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

DRIVING: Until = {"base_tolerance_m": 0.03, "base_tolerance_rad": 0.05, "stall_steps": 10, "max_steps": 200}
SPEED_M = 0.015
"""Metres per control step: a third of what the base can do."""

EDGE_M = 0.02
"""It stays so far inside the workspace."""

LEAST_M = 0.03
"""Shorter ways are not worth starting the base for."""

STANDS_M = (0.0, 0.0, 0.1, -0.1)
"""So far to its left the robot stands for one attempt after the other: another grip is tried first."""

AS_MUCH = 0.8
"""What shows less than this share of a thing's extent, because it is seen from too near, tells less about it."""


def brought(
    world: World,
    thing: Found,
    point: NDArray[np.float64],
    outward: NDArray[np.float64] | None = None,
    attempt: int = 0,
) -> Found:
    """Come to where the arm reaches a point of a thing, and look at the thing again from there.

    Args:
        world: The scene.
        thing: What is worked on.
        point: (3,) what the arm is to reach.
        outward: (3,) from the point to where the robot should stand, where that matters.
        attempt: Counted up, the robot stands a little beside that place.

    Returns:
        The thing as it is seen now; as it was where it is hidden or shows less of itself than before.
    """
    moved = world.bring_within_reach(point, outward)
    aside = STANDS_M[attempt % len(STANDS_M)] * world.leftward
    if not moved and drive_along(world, aside) == 0.0:
        return thing
    now = world.again(thing)
    return now if now.length_m > AS_MUCH * thing.length_m else thing


def can_drive(world: World) -> bool:
    """Whether the robot stands on a base that moves."""
    return "base_position" in world.state.extra


def drive_along(world: World, offset: NDArray[np.float64]) -> float:
    """Drive by a horizontal offset (2,) with the arm held still, until it is there or blocked; returns how far, metres.

    A robot that cannot drive stays where it is.
    """
    distance = float(np.linalg.norm(offset))
    if not can_drive(world) or distance < LEAST_M:
        return 0.0
    before = np.array(world.state.extra["base_position"][:2], dtype=np.float64)
    low, high = (np.asarray(world.workspace[end][:2]) for end in ("low", "high"))
    goal = np.clip(before + offset, low + EDGE_M, high - EDGE_M)
    world.move([{"base_position": goal, "max_step_m": SPEED_M}], DRIVING)
    after = np.asarray(world.state.extra["base_position"][:2], dtype=np.float64)
    return float((after - before) @ offset / distance)
