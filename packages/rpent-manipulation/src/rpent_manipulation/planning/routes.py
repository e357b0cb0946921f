"""Ways of a mobile base over a floor plan: the shortest that is safe, in as few straight legs as possible.

In the open a base is a disc about the point that it turns about: it may turn anywhere on the way. Close to furniture,
where only its outline fits, it keeps its yaw: a route begins by backing out of such a place in a straight line, and
ends by turning in the open and driving straight into one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.planning.floor import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.planning.floor import FloorPlan, Footprint

MARGIN_M = 0.03
"""Least distance kept in the open, beyond the disc."""
COMFORT_M = 0.12
"""Distance beyond the disc from which on more is no better."""
CROWDED_COST = 1.0
"""What a metre at the least distance costs beyond its length; at the comfortable one, nothing."""
STRAIGHT_M = 1.0
"""How far a base backs out of a place, or drives into one, in a straight line, at most."""
HEADINGS = 24
"""Directions that are tried for that."""
_NEIGHBOURS = ((0, 1, 1.0), (1, 0, 1.0), (1, 1, math.sqrt(2)), (1, -1, math.sqrt(2)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """Poses to drive through, the last one the goal; the first one follows the start."""

    poses: tuple[Pose, ...]
    exact: tuple[bool, ...]
    """Which of them must be reached, as the base does not fit beside them; the others are corners in the open."""
    length_m: float


class Routes:
    """Every route from one pose: searched once, asked for many goals."""

    def __init__(self, plan: FloorPlan, footprint: Footprint, start: Pose) -> None:
        """Search the floor from a pose.

        Args:
            plan: What is in the way.
            footprint: The base's outline.
            start: Where it stands; what it stands on counts as free until it has left.
        """
        self.plan, self.footprint, self._start = plan, footprint, start
        self._least = footprint.radius_m + MARGIN_M
        self._open = plan.clearance_m >= self._least
        under = plan.cells(footprint.points(start, plan.cell_m / 2))
        self._under = under[plan.inside(under)]
        self._out = self._straight_out(start)
        self._costs, self._before = self._search()

    def to(self, goal: Pose) -> Route | None:
        """Return the way to a pose, or None where there is none."""
        here, wanted = self._start, goal
        if _same(here, wanted):
            return Route(poses=(), exact=(), length_m=0.0)
        direct = self._direct(goal)
        if direct is not None:
            return direct
        entry = self._entry(goal)
        if self._out is None or entry is None:
            return None
        places = [self._pivot(self._out), *self._corners(self._cell(self._pivot(entry))), self._pivot(entry)]
        first = [self._out] if self._out is not here else []
        corners = [self._standing(place, goal.yaw) for place in self._shortened(places)[1:-1]]
        last = [entry] if entry is goal else [entry, goal]
        return Route(
            poses=(*first, *corners, *last),
            exact=(*(True for _ in first), *(False for _ in corners), *(True for _ in last)),
            length_m=_length([here, *first, *corners, *last]),
        )

    def cost(self, goal: Pose) -> float:
        """Return what the way to a pose costs, metres and more; infinite where there is none."""
        if self._direct(goal) is not None:
            return float(np.linalg.norm(goal.xy - self._start.xy))
        entry = self._entry(goal)
        if self._out is None or entry is None:
            return math.inf
        out = float(np.linalg.norm(self._out.xy - self._start.xy))
        inward = float(np.linalg.norm(goal.xy - entry.xy))
        return out + float(self._costs[self._number(self._cell(self._pivot(entry)))]) + inward

    def turned(self, yaw: float) -> Pose | None:
        """Return the nearest pose of another yaw: where there is room to turn; None when it cannot get there."""
        return None if self._out is None else self._standing(self._pivot(self._out), yaw)

    def roomiest(self, yaw: float) -> Pose | None:
        """Return the reachable pose of a yaw that is farthest from everything: where most of the room is seen from."""
        room = np.where(np.isfinite(self._costs), self.plan.clearance_m.ravel(), 0.0)
        number = int(np.argmax(room))
        if room[number] <= 0.0:
            return None
        width = self._open.shape[1]
        return self._standing(self.plan.place((number // width, number % width)), yaw)

    def _direct(self, goal: Pose) -> Route | None:
        """Return a way in one straight line that keeps the yaw, where the goal has the same."""
        start = self._start
        if abs(math.remainder(goal.yaw - start.yaw, 2 * math.pi)) > 0.05:
            return None
        length = float(np.linalg.norm(goal.xy - start.xy))
        if length > STRAIGHT_M or not self._line_free(start, goal):
            return None
        return Route(poses=(goal,), exact=(True,), length_m=length)

    # --- the open floor --------------------------------------------------------------------------------------------

    def _search(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return what every open cell costs from the start, and the cell before it."""
        from scipy.sparse import coo_array  # noqa: PLC0415  (slow to import; only who drives needs it)
        from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

        count = self._open.size
        if self._out is None:
            return np.full(count, np.inf), np.full(count, -9999, dtype=np.int32)
        spare = np.clip((self.plan.clearance_m - self._least) / (COMFORT_M - MARGIN_M), 0.0, 1.0)
        price = (1.0 + CROWDED_COST * (1.0 - spare)) * self.plan.cell_m
        rows, cols, costs = [], [], []
        numbers = np.arange(count).reshape(self._open.shape)
        height, width = self._open.shape
        for down, right, length in _NEIGHBOURS:
            a = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
            b = (slice(down, height), slice(max(0, right), width + min(0, right)))
            both = self._open[a] & self._open[b]
            rows.append(numbers[a][both])
            cols.append(numbers[b][both])
            costs.append(length * (price[a] + price[b])[both] / 2)
        data, i, j = np.concatenate(costs), np.concatenate(rows), np.concatenate(cols)
        graph = coo_array((data, (i, j)), shape=(count, count)).tocsr()
        source = self._number(self._cell(self._pivot(self._out)))
        found, before = dijkstra(graph, directed=False, indices=source, return_predecessors=True)
        return np.asarray(found), np.asarray(before)

    def _corners(self, cell: tuple[int, int]) -> list[NDArray[np.float64]]:
        """Return the middles of the cells on the way to an open cell."""
        number, path = self._number(cell), []
        while number >= 0:
            path.append(number)
            number = int(self._before[number])
        width = self._open.shape[1]
        return [self.plan.place((number // width, number % width)) for number in reversed(path)]

    def _shortened(self, places: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Leave out what a straight line that keeps as far from everything can do without."""
        room = self.plan.clearance_at(np.array(places))
        kept, at = [places[0]], 0
        while at < len(places) - 1:
            to = len(places) - 1
            while to > at + 1:
                needed = min(float(room[at : to + 1].min()), self._least + COMFORT_M - MARGIN_M)
                if self._room_along(places[at], places[to]) >= needed - self.plan.cell_m / 4:
                    break
                to -= 1
            kept.append(places[to])
            at = to
        return kept

    def _room_along(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        count = max(2, math.ceil(float(np.linalg.norm(b - a)) / (self.plan.cell_m / 2)) + 1)
        return float(self.plan.clearance_at(np.linspace(a, b, count)).min())

    # --- places close to furniture ---------------------------------------------------------------------------------

    def _entry(self, goal: Pose) -> Pose | None:
        """Return from where in the open a goal is driven into in a straight line: the goal itself, when it is open."""
        if not self.plan.stands_free(goal, self.footprint, except_at=self._under):
            return None
        return self._straight_out(goal, reachable=True)

    def _straight_out(self, pose: Pose, *, reachable: bool = False) -> Pose | None:
        """Return the nearest pose in the open from which a straight line leads to a pose, the yaw kept."""
        if self._is_open(pose, reachable=reachable):
            return pose
        angles = pose.yaw + math.pi + 2 * math.pi * np.arange(HEADINGS) / HEADINGS
        for far in np.arange(1, round(STRAIGHT_M / self.plan.cell_m) + 1) * self.plan.cell_m:
            for angle in angles:
                out = Pose(pose.x + far * math.cos(angle), pose.y + far * math.sin(angle), pose.yaw)
                if self._is_open(out, reachable=reachable) and self._line_free(pose, out):
                    return out
        return None

    def _is_open(self, pose: Pose, *, reachable: bool) -> bool:
        cell = self._cell(self._pivot(pose))
        if not self.plan.inside(np.array([cell]))[0] or not self._open[cell]:
            return False
        return not reachable or bool(np.isfinite(self._costs[self._number(cell)]))

    def _line_free(self, a: Pose, b: Pose) -> bool:
        """Whether the base may move in a straight line, its yaw kept."""
        count = max(2, math.ceil(float(np.linalg.norm(b.xy - a.xy)) / self.plan.cell_m) + 1)
        return all(
            self.plan.stands_free(Pose(float(x), float(y), a.yaw), self.footprint, except_at=self._under)
            for x, y in np.linspace(a.xy, b.xy, count)
        )

    # --- poses, places and cells -----------------------------------------------------------------------------------

    def _pivot(self, pose: Pose) -> NDArray[np.float64]:
        return pose.ahead(self.footprint.pivot_m)

    def _standing(self, pivot: NDArray[np.float64], yaw: float) -> Pose:
        back = Pose(float(pivot[0]), float(pivot[1]), yaw).ahead(-self.footprint.pivot_m)
        return Pose(float(back[0]), float(back[1]), yaw)

    def _cell(self, place: NDArray[np.float64]) -> tuple[int, int]:
        row, col = self.plan.cells(place)[0]
        return int(row), int(col)

    def _number(self, cell: tuple[int, int]) -> int:
        return int(cell[0] * self._open.shape[1] + cell[1])


def _same(a: Pose, b: Pose) -> bool:
    turn = abs(math.remainder(a.yaw - b.yaw, 2 * math.pi))
    return turn < 0.02 and float(np.linalg.norm(a.xy - b.xy)) < 0.01


def _length(poses: list[Pose]) -> float:
    return float(sum(np.linalg.norm(b.xy - a.xy) for a, b in pairwise(poses)))
