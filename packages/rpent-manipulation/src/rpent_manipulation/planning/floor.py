"""Where a mobile base may stand: a floor plan of what is in its way, and the base's own outline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rpent_manipulation.geometry import direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


EDGE_SPACING_M = 0.02


class Pose(NamedTuple):
    """Where a base stands and which way it faces, world, metres and radians."""

    x: float
    y: float
    yaw: float

    @property
    def xy(self) -> NDArray[np.float64]:
        """(2,) the place."""
        return np.array([self.x, self.y])

    def ahead(self, metres: float) -> NDArray[np.float64]:
        """Return the place (2,) so far ahead."""
        return self.xy + metres * direction(self.yaw)


@dataclass(frozen=True, kw_only=True, slots=True)
class Footprint:
    """A base's outline on the floor, in its own frame, from the point that its pose names."""

    front_m: float
    """How far it reaches ahead."""
    back_m: float
    """How far it reaches back."""
    half_width_m: float
    pivot_m: float
    """Where the point lies that it turns about, ahead (negative: behind)."""

    @property
    def radius_m(self) -> float:
        """Radius of the disc about that point that it stays within however it turns."""
        return max(math.hypot(end - self.pivot_m, self.half_width_m) for end in (self.front_m, -self.back_m))

    def points(self, pose: Pose, spacing_m: float) -> NDArray[np.float64]:
        """Return places (n, 2) all over it, at most so far apart, its outline included."""
        ahead = np.linspace(-self.back_m, self.front_m, _count(self.front_m + self.back_m, spacing_m))
        aside = np.linspace(-self.half_width_m, self.half_width_m, _count(2 * self.half_width_m, spacing_m))
        u, v = (grid.ravel() for grid in np.meshgrid(ahead, aside))
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        return np.stack([pose.x + c * u - s * v, pose.y + s * u + c * v], axis=1)

    def leading_edge(self, pose: Pose, toward: NDArray[np.float64], beyond_m: float) -> NDArray[np.float64]:
        """Return places (n, 2) along a bar just beyond the side that leads when it moves in a world direction (2,)."""
        ahead = toward / max(float(np.linalg.norm(toward)), 1e-6)
        aside = np.array([-ahead[1], ahead[0]])
        outline = self.points(pose, EDGE_SPACING_M)
        front = float((outline @ ahead).max()) + beyond_m
        span = outline @ aside
        offsets = np.linspace(span.min(), span.max(), _count(float(np.ptp(span)), EDGE_SPACING_M))
        return np.asarray(front * ahead + offsets[:, None] * aside)


class FloorPlan:
    """What stands in a base's way, as cells: [row, col] covers y and x from `origin` on. Outside, nothing is free."""

    def __init__(self, origin: NDArray[np.float64], cell_m: float, occupied: NDArray[np.bool_]) -> None:
        self.origin, self.cell_m = np.asarray(origin, dtype=np.float64), float(cell_m)
        self.occupied = np.asarray(occupied, dtype=bool)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> FloorPlan:
        """Return what an env server's `floor_plan` told."""
        return cls(
            np.asarray(data["origin"], np.float64), float(data["cell_m"]), np.asarray(data["occupied"], bool)
        )

    @property
    def extent(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest (2,) x and y that it covers, metres."""
        size = np.array(self.occupied.shape[::-1]) * self.cell_m
        return self.origin, self.origin + size

    def blocked_at(self, places: NDArray[np.float64]) -> FloorPlan:
        """Return the same plan with the cells of places (n, 2) occupied: what it does not know stands there."""
        cells = self.cells(places)
        cells = cells[self.inside(cells)]
        occupied = self.occupied.copy()
        occupied[cells[:, 0], cells[:, 1]] = True
        return FloorPlan(self.origin, self.cell_m, occupied)

    @cached_property
    def clearance_m(self) -> NDArray[np.float64]:
        """(H, W) distance from each cell's middle to the edge of the nearest cell that is not free; 0 there."""
        from scipy import ndimage  # noqa: PLC0415  (slow to import; only who drives needs it)

        ringed = np.pad(~self.occupied, 1)
        cells = ndimage.distance_transform_edt(ringed)[1:-1, 1:-1]
        return np.asarray(np.maximum(cells - 0.5, 0.0) * self.cell_m)

    def cells(self, places: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the [row, col] (n, 2) of places (n, 2), also where they are outside."""
        return np.floor((np.atleast_2d(places) - self.origin)[:, ::-1] / self.cell_m).astype(np.intp)

    def place(self, cell: NDArray[np.intp] | tuple[int, int]) -> NDArray[np.float64]:
        """Return the middle (2,) of a cell [row, col]."""
        return self.origin + (np.asarray(cell, dtype=np.float64)[::-1] + 0.5) * self.cell_m

    def inside(self, cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which cells (n, 2) the plan has."""
        return np.asarray(np.all((cells >= 0) & (cells < self.occupied.shape), axis=1))

    def clearance_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the clearance (n,) at places (n, 2), to about half a cell; 0 outside."""
        cells = self.cells(places)
        known = self.inside(cells)
        found = np.zeros(len(cells))
        found[known] = self.clearance_m[cells[known, 0], cells[known, 1]]
        return found

    def stands_free(
        self, pose: Pose, footprint: Footprint, *, except_at: NDArray[np.intp] | None = None
    ) -> bool:
        """Whether a base may stand there.

        Args:
            pose: Where.
            footprint: Its outline.
            except_at: Cells (n, 2) that count as free, because the base stands on them already.
        """
        cells = self.cells(footprint.points(pose, self.cell_m / 2))
        known = self.inside(cells)
        if not known.all():
            return False
        hit = cells[self.occupied[cells[:, 0], cells[:, 1]]]
        if except_at is None or len(hit) == 0:
            return len(hit) == 0
        width = self.occupied.shape[1]
        return bool(np.isin(hit @ [width, 1], except_at @ [width, 1]).all())


def _count(length: float, spacing: float) -> int:
    return max(2, math.ceil(length / spacing) + 1)
