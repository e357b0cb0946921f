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
        return np.asarray((self.low + self.high) / 2)

    @property
    def size(self) -> NDArray[np.float64]:
        """Edge lengths of the bounding box."""
        return np.asarray(self.high - self.low)


@dataclass(frozen=True, kw_only=True, slots=True)
class Circle:
    """A horizontal circle fitted to points."""

    center: NDArray[np.float64]
    radius_m: float
    error_m: float
    """Median distance of the points from the circle."""
    coverage: float
    """Share of `RIM_SECTORS` sectors that hold points, 0 to 1."""


def clean(points: Points) -> Points:
    """Drop stray points: mask borders whose depth belongs to the background.

    A point stays when its distance from the median is at most 2.5 times the 90th percentile of these distances, so
    that a thin rim or a bottle neck survives.
    """
    if len(points) < 8:
        return points
    distance = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    limit = max(2.5 * float(np.percentile(distance, 90)), 0.01)
    return np.asarray(points[distance <= limit])


def extent(points: Points, *, trim: float = 1.0) -> Extent:
    """Return the bounding box of the points between the `trim` and `100 - trim` percentiles of each axis."""
    low, high = np.percentile(points, [trim, 100 - trim], axis=0)
    return Extent(low=low, high=high, centroid=points.mean(axis=0))


def thin_out(points: Points, cell_m: float = 0.004) -> Points:
    """Keep one point per cubic cell, so that near and far views weigh the same."""
    if len(points) == 0:
        return points
    cells = np.floor(points / cell_m).astype(np.int64)
    cells -= cells.min(axis=0)
    # One number a cell: `unique` sorts numbers several times faster than rows.
    numbers = np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))
    _, first = np.unique(numbers, return_index=True)
    return points[np.sort(first)]


def top_height(points: Points) -> float:
    """Return the height of the highest surface, robust to a few stray points."""
    heights = np.sort(points[:, 2])
    return float(heights[max(0, len(heights) - 1 - max(2, len(heights) // 100))])


def top_surface(points: Points, *, share: float = 0.35) -> Points:
    """Return the points of the highest large level surface: the highest 6 mm layer that holds many points."""
    layers = np.round(points[:, 2] / 0.006).astype(np.int64)
    values, counts = np.unique(layers, return_counts=True)
    height = float(values[counts >= share * counts.max()].max()) * 0.006
    return points[np.abs(points[:, 2] - height) < 0.009]


NEAR_SUPPORT_M = 0.025
"""So near a thing its support is looked for where what is farther off stands higher, as a pan's rim."""
STEP_M = 0.012
"""Supports that differ by less are one."""


def support_height(points: Points, around: Points, *, margin_m: float = 0.06) -> float:
    """Return the height of what the object stands on.

    Args:
        points: (n, 3) surface of the object.
        around: (m, 3) surface of everything else.
        margin_m: How far beyond the object's footprint the support is looked for.

    Returns:
        The height where most of the surrounding points below the object's lowest visible point lie, or that lowest
        point when nothing is seen around it. Where the object stands within something that is higher than what it
        stands on, that is what is seen close by.
    """
    lowest = float(np.percentile(points[:, 2], 1))
    support = _support(points, around, lowest, margin_m)
    if support is None:
        return lowest
    close = _support(points, around, lowest, NEAR_SUPPORT_M)
    return close if close is not None and close < support - STEP_M else support


def _support(points: Points, around: Points, lowest: float, margin_m: float) -> float | None:
    """Return the height of the highest strong layer within a margin, not above the lowest point; None if unseen."""
    low, high = points[:, :2].min(axis=0) - margin_m, points[:, :2].max(axis=0) + margin_m
    near = (
        np.all((around[:, :2] >= low) & (around[:, :2] <= high), axis=1) if len(around) else np.zeros(0, bool)
    )
    heights = around[near, 2]
    heights = heights[(heights < lowest + 0.012) & (heights > lowest - 0.15)]
    if len(heights) < 20:
        return None
    bins = np.round(heights / 0.004).astype(np.int64)
    values, counts = np.unique(bins, return_counts=True)
    strong = values[counts >= 0.25 * counts.max()]
    return min(float(strong.max()) * 0.004, lowest)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rim:
    """The upper edge of a round vessel, which may stand tilted."""

    circle: Circle
    heights: NDArray[np.float64]
    """(RIM_SECTORS,) height of the edge around the centre, from angle -pi on; NaN where it is not seen."""

    def height_at(self, angle_rad: float) -> float:
        """Return the edge's height in a direction; of the nearest seen sector where it is not seen."""
        turn = (angle_rad + np.pi) % (2 * np.pi) / (2 * np.pi) * RIM_SECTORS
        seen = np.flatnonzero(np.isfinite(self.heights))
        gaps = np.abs((seen + 0.5 - turn + RIM_SECTORS / 2) % RIM_SECTORS - RIM_SECTORS / 2)
        return float(self.heights[seen[int(np.argmin(gaps))]])

    @property
    def clear(self) -> bool:
        """Whether the edge was seen well enough to trust its circle."""
        return self.circle.error_m < 0.004 and self.circle.coverage > 0.45

    @property
    def slope(self) -> NDArray[np.float64]:
        """(2,) how steeply the plane of the edge rises along the world's x and y axes."""
        seen = np.flatnonzero(np.isfinite(self.heights))
        angles = (seen + 0.5) / RIM_SECTORS * 2 * np.pi - np.pi
        x, y = self.circle.radius_m * np.cos(angles), self.circle.radius_m * np.sin(angles)
        matrix = np.column_stack([x, y, np.ones(len(seen))])
        solution, *_ = np.linalg.lstsq(matrix, self.heights[seen], rcond=None)
        return np.asarray(solution[:2])

    def foot(self, height_m: float) -> NDArray[np.float64]:
        """Return the horizontal place (2,) of the vessel's foot, its height below the edge along the tilted axis."""
        slope = self.slope
        return np.asarray(self.circle.center + height_m * slope / np.sqrt(1.0 + slope @ slope))

    def seen_at(self, angle_rad: float) -> bool:
        """Whether the edge is seen in a direction."""
        turn = int((angle_rad + np.pi) % (2 * np.pi) / (2 * np.pi) * RIM_SECTORS) % RIM_SECTORS
        return bool(np.isfinite(self.heights[turn]))


RIM_SECTORS = 24


def find_rim(points: Points) -> Rim | None:
    """Find the edge of a vessel: the highest points of each sector around its middle, on one circle.

    Returns:
        None when too little of an edge is seen, or it is not round.
    """
    center = extent(points).middle[:2]
    edge = np.zeros((0, 3))
    for _ in range(2):
        edge = _sector_tops(points, center)
        if len(edge) < 8:
            return None
        circle = fit_circle(edge)
        center = circle.center
    heights = np.full(RIM_SECTORS, np.nan)
    sectors = _sectors(edge, center)
    good = np.abs(np.linalg.norm(edge[:, :2] - center, axis=1) - circle.radius_m) < 0.012
    for sector in np.unique(sectors[good]):
        heights[sector] = edge[good & (sectors == sector), 2].max()
    if np.isfinite(heights).sum() < RIM_SECTORS / 3:
        return None
    return Rim(circle=circle, heights=heights)


def _sectors(points: Points, center: NDArray[np.float64]) -> NDArray[np.int64]:
    local = points[:, :2] - center
    share = (np.arctan2(local[:, 1], local[:, 0]) + np.pi) / (2 * np.pi)
    return np.floor(share * RIM_SECTORS).astype(np.int64) % RIM_SECTORS


def _sector_tops(points: Points, center: NDArray[np.float64]) -> Points:
    """Return each sector's points within 4 mm of its highest, without sectors that end far below the others."""
    sectors = _sectors(points, center)
    tops = np.full(RIM_SECTORS, -np.inf)
    np.maximum.at(tops, sectors, points[:, 2])
    usual = float(np.median(tops[np.isfinite(tops)]))
    keep = (points[:, 2] > tops[sectors] - 0.004) & (tops[sectors] > usual - 0.03)
    return points[keep]


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
    return Circle(
        center=center,
        radius_m=radius,
        error_m=float(np.median(residual)) if len(residual) else 0.0,
        coverage=len(np.unique(_sectors(points[residual < 0.01], center))) / RIM_SECTORS,
    )
