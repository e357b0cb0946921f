"""Where a held thing is let go: in, on or beside something that was seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation.cloud import (
    extent,
    find_rim,
    fit_circle,
    support_height,
    top_height,
    top_surface,
)
from rpent_manipulation.planning.surfaces import broad_surface, free_spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.primitives.held import Held

Relation = Literal["in", "on", "next_to", "left_of", "right_of", "in_front_of", "behind"]

RELEASE_GAP = 0.006
"""How far above its support a thing is let go."""

INSIDE_DEPTH = 0.01
"""How far below a container's rim the bottom of a thing is when it is let go."""


BASIN_M = 0.45
"""Containers that are wider are basins: their rim may be a counter, and a faucet may stand on it."""


CELL_M = 0.01
HANDLE_M = 0.06
"""What is narrower than this and sticks out is a vessel's handle."""
STICKS_OUT = 0.8
"""A vessel without its handle is shorter than this share of the whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Viewer:
    """Whose left and right are meant, and where things are best put down."""

    ahead: tuple[float, float] = (-1.0, 0.0)
    """World direction that is seen into the picture; of a camera that looks along -x, at the robot, +y is right."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Middle of the work surface, world."""

    def sides(self) -> dict[str, tuple[float, float]]:
        """Return the world direction of each relation."""
        x, y = self.ahead
        return {"left_of": (-y, x), "right_of": (y, -x), "in_front_of": (-x, -y), "behind": (x, y)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A place for a thing's middle, with the height that its bottom is lowered to."""

    position: NDArray[np.float64]
    """(3,): horizontal place of the thing's middle, height of its bottom at release."""
    clear_z: float
    """Height of what the thing must be carried over at the end of the way."""


def middle_of(points: Points) -> NDArray[np.float64]:
    """Return the horizontal middle (2,) of a thing: of its circle where it is round, else of its bounding box."""
    rim = points[points[:, 2] > top_height(points) - 0.012]
    if len(rim) >= 24:
        circle = fit_circle(rim)
        if circle.coverage > 0.6 and circle.error_m < 0.004 and 0.02 < circle.radius_m < 0.2:
            return circle.center
    return extent(points).middle[:2]


TABLE_VIEWER = Viewer()
"""Of a camera that faces the robot across a table at the world's origin."""


def find_spot(
    relation: Relation, points: Points, around: Points, held: Held | None, viewer: Viewer = TABLE_VIEWER
) -> Spot:
    """Return where the thing's middle goes.

    Args:
        relation: How it is to stand to the target.
        points: (n, 3) visible surface of the target.
        around: (m, 3) surface of everything else.
        held: What is held; None for an empty hand (size unknown).
        viewer: Whose left, right, front and behind are meant.
    """
    if relation == "in":
        return _inside(points)
    if relation == "on":
        surface = broad_surface(points)
        return _on_top(points) if surface is None else _on_broad(surface, points, around, held, viewer)
    return _beside(relation, points, around, held, viewer)


def spot_at(position: NDArray[np.float64], relation: Relation) -> Spot:
    """Return the spot at a given position: on a surface, or (`in`) through a rim, at the position's height."""
    gap = -INSIDE_DEPTH if relation == "in" else RELEASE_GAP
    return Spot(position=position + np.array([0.0, 0.0, gap]), clear_z=float(position[2]))


def without_handle(points: Points) -> Points:
    """Return a vessel's points without those of a long handle, as a pan's; all of them where none sticks out."""
    from scipy import ndimage  # noqa: PLC0415  (slow to import; only who puts something into a pan needs it)

    low = points[:, :2].min(axis=0)
    cells = np.floor((points[:, :2] - low) / CELL_M).astype(int) + 1
    seen = np.zeros(cells.max(axis=0) + 2, dtype=bool)
    seen[tuple(cells.T)] = True
    filled = ndimage.binary_fill_holes(ndimage.binary_closing(seen))
    half = np.arange(-HANDLE_M / 2, HANDLE_M / 2 + CELL_M / 2, CELL_M)
    disk = np.hypot(*np.meshgrid(half, half)) <= HANDLE_M / 2
    body = ndimage.binary_opening(filled, disk)
    kept = np.asarray(points[body[tuple(cells.T)]])
    if len(kept) < len(points) / 3:
        return points
    shorter = extent(kept).size[:2] / np.maximum(extent(points).size[:2], CELL_M)
    return kept if shorter.min() < STICKS_OUT else points


def _inside(points: Points) -> Spot:
    if extent(points).size[:2].max() > BASIN_M:
        return _in_basin(points)
    points = without_handle(points)
    rim_z = top_height(points)
    rim = points[points[:, 2] > rim_z - 0.03]
    middle = middle_of(rim if len(rim) >= 24 else points)
    return Spot(position=np.array([middle[0], middle[1], rim_z - INSIDE_DEPTH]), clear_z=rim_z)


def _in_basin(points: Points) -> Spot:
    """Return the place over a basin's floor that is farthest from its walls, and from a spout that hangs over it."""
    rim_z = float(np.percentile(points[:, 2], 90))
    low = float(np.percentile(points[:, 2], 2))
    floor = points[points[:, 2] < low + (rim_z - low) / 3]
    rest = points[points[:, 2] >= low + (rim_z - low) / 3]
    floor, rest = floor[:: max(1, len(floor) // 400)], rest[:: max(1, len(rest) // 2000)]
    away = np.linalg.norm(floor[:, None, :2] - rest[None, :, :2], axis=2)
    middle = floor[int(np.argmax(away.min(axis=1))), :2]
    return Spot(position=np.array([*middle, rim_z - INSIDE_DEPTH]), clear_z=rim_z)


def _on_top(points: Points) -> Spot:
    rim = find_rim(points)
    if rim is not None and rim.clear and rim.circle.coverage > 0.6 and 0.02 < rim.circle.radius_m < 0.2:
        middle = rim.circle.center
        near = np.linalg.norm(points[:, :2] - middle, axis=1) < 0.03
        height = float(np.median(points[near, 2])) if near.sum() >= 5 else top_height(points)
    else:
        surface = top_surface(points)
        # The median keeps to the broad part where something is attached beside it, as the stove's knob.
        middle, height = np.median(surface[:, :2], axis=0), float(np.median(surface[:, 2]))
    return Spot(position=np.array([*middle, height + RELEASE_GAP]), clear_z=top_height(points))


def _on_broad(surface: Points, points: Points, around: Points, held: Held | None, viewer: Viewer) -> Spot:
    """Return the free place on a counter that is nearest to where things are best put down."""
    rest = np.concatenate([around, points])
    spot = free_spot(
        surface,
        rest,
        np.array(viewer.middle),
        reach_m=held.reach_m if held else 0.04,
        below_m=held.below_m if held else 0.0,
    )
    return Spot(position=spot + np.array([0.0, 0.0, RELEASE_GAP]), clear_z=float(spot[2]))


def _beside(relation: Relation, points: Points, around: Points, held: Held | None, viewer: Viewer) -> Spot:
    bottom = support_height(points, around)
    middle, size = middle_of(points), extent(points).size
    reach = held.reach_m if held else 0.04
    named = viewer.sides()
    sides = [named[relation]] if relation in named else list(named.values())
    best: tuple[float, NDArray[np.float64]] | None = None
    for side in sides:
        axis = np.array(side)
        distance = float(abs(axis) @ size[:2]) / 2 + reach + 0.03
        spot = middle + axis * distance
        crowd = _crowd(spot, around, bottom, reach) + 10 * max(0.0, math.dist(spot, viewer.middle) - 0.3)
        if best is None or crowd < best[0]:
            best = (crowd, spot)
    assert best is not None
    return Spot(position=np.array([*best[1], bottom + RELEASE_GAP]), clear_z=top_height(points))


def _crowd(spot: NDArray[np.float64], around: Points, bottom: float, reach: float) -> float:
    """Return how much stands at a spot."""
    near = np.linalg.norm(around[:, :2] - spot, axis=1) < reach + 0.02
    return float((near & (around[:, 2] > bottom + 0.012)).sum())
