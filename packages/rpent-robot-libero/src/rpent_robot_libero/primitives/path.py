"""Ways over things: how high hand and held thing must be between two places, as few waypoints as possible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robot_libero.primitives import gripper, kinematics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

SPACING = 0.04
"""Metres between the places of a way whose surroundings are looked at."""

CLEARANCE = 0.025
"""How far above everything the lowest part passes."""

PALM_CLEARANCE = 0.012
ENOUGH_POINTS = 4
"""Fewer points than this are noise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What must clear the things on the way, relative to the grasp point."""

    below_m: float = gripper.TIP_BELOW_SITE
    reach_m: float = 0.035
    """Horizontal radius about the grasp point."""


def over(
    start: NDArray[np.float64],
    goal: NDArray[np.float64],
    around: Points,
    load: Load,
    base: NDArray[np.float64],
    *,
    end_z: float,
) -> list[NDArray[np.float64]]:
    """Return waypoints (3,) of the grasp point from `start` to a point above `goal`.

    Args:
        start: (3,) where it is.
        goal: (2,) where it goes.
        around: (m, 3) surface of everything that stays.
        load: What is carried.
        base: (3,) where the arm stands; no waypoint is higher than the arm can reach there.
        end_z: Height that it must at least have above the goal.
    """
    way = goal[:2] - start[:2]
    count = max(2, math.ceil(float(np.linalg.norm(way)) / SPACING) + 1)
    shares = np.linspace(0.0, 1.0, count)
    places = start[:2] + shares[:, None] * way
    needed = np.array([_needed(place, around, load) for place in places])
    needed[0], needed[-1] = max(needed[0], start[2]), max(needed[-1], end_z)
    ceilings = np.array([kinematics.highest(place, base) for place in places])
    heights = np.minimum(np.maximum(needed, min(start[2], end_z)), np.maximum(ceilings, end_z))
    corners = _upper_hull(shares, heights)
    points = [np.array([*places[i], heights[i]]) for i in corners]
    lifted = points[0][2] > start[2] + 0.015
    return points if lifted else points[1:]


def _needed(place: NDArray[np.float64], around: Points, load: Load) -> float:
    """Return the lowest safe height of the grasp point at a place: fingers and load near it, the palm further aside."""
    distance = np.hypot(around[:, 0] - place[0], around[:, 1] - place[1])
    under = _top(around[distance < load.reach_m + 0.02, 2]) + load.below_m + CLEARANCE
    palm = gripper.PALM_HALF_LENGTH + 0.015
    aside = _top(around[distance < palm, 2]) - gripper.PALM_ABOVE_SITE + PALM_CLEARANCE
    return max(under, aside)


def _top(heights: NDArray[np.float64]) -> float:
    if len(heights) < ENOUGH_POINTS:
        return -math.inf
    return float(np.partition(heights, -ENOUGH_POINTS)[-ENOUGH_POINTS])


def _upper_hull(shares: NDArray[np.float64], heights: NDArray[np.float64]) -> list[int]:
    """Return the indices of the corners of the tightest arch over all heights (upper convex hull)."""
    corners: list[int] = []
    for i in range(len(shares)):
        while len(corners) >= 2 and _below(shares, heights, corners[-2], corners[-1], i):
            corners.pop()
        corners.append(i)
    return corners


def _below(shares: NDArray[np.float64], heights: NDArray[np.float64], a: int, b: int, c: int) -> bool:
    """Whether corner b is on or (almost) below the line from a to c."""
    share = (shares[b] - shares[a]) / (shares[c] - shares[a])
    return bool(heights[b] <= heights[a] + share * (heights[c] - heights[a]) + 0.01)
