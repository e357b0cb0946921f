"""Moving a thing by driving: the hand keeps hold of it, or keeps pushing it, while the base goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.world import World

DRIVING: Until = {"base_tolerance_m": 0.03, "base_tolerance_rad": 0.05, "stall_steps": 10, "max_steps": 200}
SPEED_M = 0.015
"""Metres per control step: a third of what the base can do."""

EDGE_M = 0.02
"""It stays so far inside the workspace."""

LEAST_M = 0.03
"""Shorter ways are not worth starting the base for."""


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
