"""Contact motions with things that are fixed or slide: drawers, doors, knobs, things pushed over a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robot_libero.primitives import cloud
from rpent_robot_libero.primitives.geometry import nearest_yaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.env.types import Waypoint
    from rpent_robot_libero.world import Found, World

    Points = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactResult:
    """How a contact motion ended."""

    ok: bool
    moved_m: float
    reason: str = ""
    angle_rad: float | None = None


def pull(world: World, thing: Found, distance_m: float, direction: NDArray[np.float64] | None) -> ContactResult:
    """Pull a drawer or door by its handle."""
    raise NotImplementedError


def push(
    world: World, thing: Found, distance_m: float | None, direction: NDArray[np.float64] | None
) -> ContactResult:
    """Push a thing with closed fingers."""
    raise NotImplementedError


def turn(world: World, thing: Found, direction: str) -> ContactResult:
    """Turn a knob."""
    raise NotImplementedError
