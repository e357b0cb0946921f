"""Shapes read from point clouds: cleaned surfaces, footprints, circles, support heights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """An axis-aligned description of a visible surface, metres, world."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    centroid: NDArray[np.float64]

    @property
    def middle(self) -> NDArray[np.float64]:
        """The centre of the bounding box: less biased than the centroid where one side is hidden."""
        return (self.low + self.high) / 2

    @property
    def size(self) -> NDArray[np.float64]:
        """Edge lengths of the bounding box."""
        return self.high - self.low


@dataclass(frozen=True, kw_only=True, slots=True)
class Circle:
    """A horizontal circle fitted to points."""

    center: NDArray[np.float64]
    radius_m: float
    error_m: float
    """Median distance of the points from the circle."""
    coverage: float
    """Share of 24 sectors that hold points, 0 to 1."""


def clean(points: Points, *, spread_m: float = 0.25) -> Points:
    """Drop stray points: mask borders whose depth belongs to the background.

    A point stays when its distance from the median is at most 2.5 times the 90th percentile of these distances (and
    at most `spread_m` for small things), so that a thin rim or a bottle neck survives.
    """
    if len(points) < 8:
        return points
    distance = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    limit = max(2.5 * float(np.percentile(distance, 90)), 0.01)
    return points[distance <= max(limit, min(limit, spread_m))]


def extent(points: Points, *, trim: float = 1.0) -> Extent:
    """Return the bounding box of the points between the `trim` and `100 - trim` percentiles of each axis."""
    low, high = np.percentile(points, [trim, 100 - trim], axis=0)
    return Extent(low=low, high=high, centroid=points.mean(axis=0))


def thin_out(points: Points, cell_m: float = 0.004) -> Points:
    """Keep one point per cubic cell, so that near and far views weigh the same."""
    if len(points) == 0:
        return points
    keys = np.floor(points / cell_m).astype(np.int64)
    _, first = np.unique(keys, axis=0, return_index=True)
    return points[np.sort(first)]


def top_height(points: Points) -> float:
    """Return the height of the highest surface, robust to a few stray points."""
    heights = np.sort(points[:, 2])
    return float(heights[max(0, len(heights) - 1 - max(2, len(heights) // 100))])


def support_height(points: Points, around: Points, *, margin_m: float = 0.06) -> float:
    """Return the height of what the object stands on.

    Args:
        points: (n, 3) surface of the object.
        around: (m, 3) surface of everything else.
        margin_m: How far beyond the object's footprint the support is looked for.

    Returns:
        The height where most of the surrounding points below the object's lowest visible point lie, or that lowest
        point when nothing is seen around it.
    """
    lowest = float(np.percentile(points[:, 2], 1))
    low, high = points[:, :2].min(axis=0) - margin_m, points[:, :2].max(axis=0) + margin_m
    near = np.all((around[:, :2] >= low) & (around[:, :2] <= high), axis=1) if len(around) else np.zeros(0, bool)
    heights = around[near, 2]
    heights = heights[(heights < lowest + 0.012) & (heights > lowest - 0.15)]
    if len(heights) < 20:
        return lowest
    bins = np.round(heights / 0.004).astype(np.int64)
    values, counts = np.unique(bins, return_counts=True)
    strong = values[counts >= 0.25 * counts.max()]
    return min(float(strong.max()) * 0.004, lowest)


def fit_circle(points: Points, *, rounds: int = 4) -> Circle:
    """Fit a circle to the horizontal coordinates by algebraic least squares, dropping outliers in each round.

    The algebraic (Kåsa) fit solves x² + y² = 2ax + 2by + c; radius = sqrt(c + a² + b²).
    """
    xy = points[:, :2]
    keep = np.ones(len(xy), dtype=bool)
    center, radius = xy.mean(axis=0), 0.0
    residual = np.zeros(len(xy))
    for _ in range(rounds):
        used = xy[keep]
        matrix = np.column_stack([2 * used, np.ones(len(used))])
        (a, b, c), *_ = np.linalg.lstsq(matrix, (used**2).sum(axis=1), rcond=None)
        center, radius = np.array([a, b]), float(np.sqrt(max(c + a * a + b * b, 0.0)))
        residual = np.abs(np.linalg.norm(xy - center, axis=1) - radius)
        keep = residual <= max(2.0 * float(np.median(residual)), 0.002)
        if keep.sum() < 8:
            break
    around = xy[residual < 0.01] - center
    sectors = np.floor(np.arctan2(around[:, 1], around[:, 0]) / (2 * np.pi) * 24).astype(np.int64) % 24
    return Circle(
        center=center,
        radius_m=radius,
        error_m=float(np.median(residual)) if len(residual) else 0.0,
        coverage=len(np.unique(sectors)) / 24,
    )
