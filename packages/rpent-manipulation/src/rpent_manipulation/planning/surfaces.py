"""Broad level surfaces, such as counters: where on one of them there is room for a thing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.cloud import extent, top_surface
from rpent_manipulation.panda import gripper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

BROAD_M = 0.5
"""A level surface that is longer than this is not meant as a whole: a thing may go anywhere on it."""
CELL_M = 0.02
STANDS_OUT_M = 0.01
"""What is so much higher than the surface stands on it."""
MARGIN_M = 0.02
"""Left free around the thing, metres."""
HAND_M = gripper.PALM_HALF_LENGTH + MARGIN_M
"""The palm, however it is turned, is within this of the grasp point."""


def broad_surface(points: Points) -> Points | None:
    """Return the level top (n, 3) of a thing when it is broad, else None."""
    surface = top_surface(points)
    return surface if float(extent(surface).size[:2].max()) > BROAD_M else None


def nearest_part(surface: Points, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point (3,) of a surface that is nearest to a place (2,), seen from above."""
    return np.asarray(surface[int(np.argmin(np.linalg.norm(surface[:, :2] - place, axis=1)))])


def free_spot(
    surface: Points, rest: Points, near: NDArray[np.float64], *, reach_m: float, below_m: float
) -> NDArray[np.float64]:
    """Return where on a surface a thing has room, as near to a place as possible.

    Args:
        surface: (n, 3) the visible part of a level surface; what is not seen is not free.
        rest: (m, 3) surface of everything else, where things stand on it or beside it.
        near: (2,) where the robot works best.
        reach_m: The thing's horizontal radius.
        below_m: How far the thing's bottom is below the grasp point: the palm passes over what is lower.

    Returns:
        (3,) on the surface. Where there is room nowhere, the place that is farthest from everything.
    """
    from scipy import ndimage  # noqa: PLC0415  (slow to import; only who puts something on a counter needs it)

    height = float(np.median(surface[:, 2]))
    low = surface[:, :2].min(axis=0) - CELL_M
    shape = tuple(np.ceil((surface[:, :2].max(axis=0) + CELL_M - low) / CELL_M).astype(int) + 1)
    seen = ndimage.binary_closing(_cells(surface, low, shape))
    stands = _cells(rest[rest[:, 2] > height + STANDS_OUT_M], low, shape)
    tall = _cells(rest[rest[:, 2] > height + below_m + gripper.PALM_ABOVE_SITE - MARGIN_M], low, shape)
    # A ring of cells that are not free: beyond the surface there is none.
    room = ndimage.distance_transform_edt(np.pad(seen & ~stands, 1))[1:-1, 1:-1] * CELL_M
    hand_room = ndimage.distance_transform_edt(~tall) * CELL_M if tall.any() else np.full(shape, math.inf)
    spare = np.minimum(room - reach_m - MARGIN_M, hand_room - HAND_M)
    places = low + (np.indices(shape).transpose(1, 2, 0) + 0.5) * CELL_M
    away = np.linalg.norm(places - near, axis=2)
    best = np.where(spare >= 0, away, np.inf) if (spare >= 0).any() else -spare
    x, y = places[np.unravel_index(int(np.argmin(best)), shape)]
    return np.array([x, y, height])


def _cells(points: Points, low: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which cells hold points."""
    cells = np.floor((points[:, :2] - low) / CELL_M).astype(int)
    inside = np.all((cells >= 0) & (cells < shape), axis=1)
    filled = np.zeros(shape, dtype=bool)
    filled[tuple(cells[inside].T)] = True
    return filled
