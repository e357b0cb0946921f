"""Controls of appliances: which way a button, switch or knob faces, and how a hand points at it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

UP = np.array([0.0, 0.0, 1.0])

NEAR_M = 0.05
"""Surface points within this distance of a control tell which way its panel faces."""

ELEVATIONS = (0.0, math.radians(30), math.radians(60), math.pi / 2)
SQUARE = 0.01
SLOPING_M = 0.006
"""Sloping panels are rare: they must be flatter than upright and level ones by this."""

AZIMUTH_STEP = math.radians(5)

CORRIDOR_M = (0.03, 0.14)
CORRIDOR_RADIUS_M = 0.03
"""The finger tips come in through this cylinder before a control; what fills it is in their way."""

BLOCKED_POINTS = 12
"""So many points in the corridor show that it is not free."""


def outward(points: Points, around: Points, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction in which a control faces: out of the flat surface that it sits on.

    Of the directions towards the viewer, horizontal, sloping or straight up, the one is taken along which the control
    and its near surroundings are flattest, provided that the way there is free.

    Args:
        points: (n, 3) visible surface of the control.
        around: (m, 3) surface of everything else.
        eye: (3,) where both were seen from.

    Returns:
        (3,) unit vector.
    """
    middle = cloud.extent(points).middle
    near = around[np.linalg.norm(around - middle, axis=1) < NEAR_M] if len(around) else around
    toward = eye - middle
    best, found = math.inf, UP
    for axis in _directions():
        if axis @ toward < 0.15 * np.linalg.norm(toward):
            continue
        cost = _thickness(points @ axis) + _thickness(near @ axis) + _blocked(middle, axis, around)
        if SQUARE < abs(float(axis @ UP)) < 1.0 - SQUARE:
            cost += SLOPING_M
        if cost < best:
            best, found = cost, axis
    return found


def _directions() -> list[NDArray[np.float64]]:
    """Return the unit vectors that are tried: a ring of each elevation, and straight up."""
    found = []
    for elevation in ELEVATIONS[:-1]:
        for azimuth in np.arange(-math.pi, math.pi, AZIMUTH_STEP):
            flat = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
            found.append(flat * math.cos(elevation) + UP * math.sin(elevation))
    return [*found, UP]


def _thickness(depths: NDArray[np.float64], share: float = 0.6) -> float:
    """Return the shortest interval that holds a share of the depths; 0 without depths."""
    count = int(share * len(depths))
    if count < 3:
        return 0.0
    ordered = np.sort(depths)
    return float((ordered[count:] - ordered[: len(depths) - count]).min())


def _blocked(middle: NDArray[np.float64], axis: NDArray[np.float64], around: Points) -> float:
    """Return 0 for a free way along `axis` to a control, and up to 0.1 (metres of thickness) for a filled one."""
    if len(around) == 0:
        return 0.0
    local = around - middle
    along = local @ axis
    beside = np.linalg.norm(local - np.outer(along, axis), axis=1)
    inside = (along > CORRIDOR_M[0]) & (along < CORRIDOR_M[1]) & (beside < CORRIDOR_RADIUS_M)
    return 0.1 * min(1.0, float(inside.sum()) / BLOCKED_POINTS)


def pointing(approach: NDArray[np.float64], closing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hand's orientation (3, 3) that points along `approach`, its fingers closing along `closing`.

    Args:
        approach: (3,) of any length.
        closing: (3,) made square to the approach; must not be parallel to it.
    """
    z = approach / np.linalg.norm(approach)
    y = closing - (closing @ z) * z
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def nearer(rotation: NDArray[np.float64], current: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return of the two orientations that are the same for a two-finger hand the one nearer to the present one."""
    other = rotation @ np.diag([-1.0, -1.0, 1.0])
    return rotation if np.trace(rotation.T @ current) >= np.trace(other.T @ current) else other
