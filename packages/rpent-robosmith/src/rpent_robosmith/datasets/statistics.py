"""Statistics of rows that come bit by bit, in bounded memory: moments, extremes, and a sample for quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
"""Those that LeRobot's statistics have."""
SAMPLE_ROWS = 8192


class Moments:
    """Count, mean, deviation and extremes of each column; numbers that are not finite are counted apart.

    Merging follows Chan, Golub and LeVeque (1979), https://doi.org/10.2307/2683386.
    """

    def __init__(self, width: int) -> None:
        self.count = np.zeros(width, np.int64)
        self.mean = np.zeros(width)
        self._squares = np.zeros(width)
        self.low = np.full(width, np.inf)
        self.high = np.full(width, -np.inf)
        self.nan = np.zeros(width, np.int64)
        self.infinite = np.zeros(width, np.int64)

    def update(self, rows: NDArray[np.floating[Any]]) -> None:
        """Add rows, (N, D)."""
        values = np.asarray(rows, np.float64)
        nan, infinite = np.isnan(values), np.isinf(values)
        self.nan += nan.sum(axis=0)
        self.infinite += infinite.sum(axis=0)
        finite = ~(nan | infinite)
        counts = finite.sum(axis=0)
        means = np.where(finite, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
        squares = (np.where(finite, values, means) - means) ** 2
        self._join(counts, means, squares.sum(axis=0))
        if len(values):
            self.low = np.minimum(self.low, np.where(finite, values, np.inf).min(axis=0))
            self.high = np.maximum(self.high, np.where(finite, values, -np.inf).max(axis=0))

    def merge(self, other: Moments) -> None:
        """Add all rows that another one has seen."""
        self._join(other.count, other.mean, other._squares)
        self.nan += other.nan
        self.infinite += other.infinite
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)

    def _join(
        self, counts: NDArray[np.int64], means: NDArray[np.float64], squares: NDArray[np.float64]
    ) -> None:
        total = self.count + counts
        delta = np.where(counts > 0, means - self.mean, 0.0)
        share = counts / np.maximum(total, 1)
        self._squares = self._squares + squares + delta**2 * self.count * share
        self.mean = self.mean + delta * share
        self.count = total

    @property
    def std(self) -> NDArray[np.float64]:
        """(D,) population standard deviation."""
        spread: NDArray[np.float64] = np.sqrt(self._squares / np.maximum(self.count, 1))
        return spread

    @property
    def constant(self) -> NDArray[np.bool_]:
        """(D,) whether all finite numbers of a column are the same."""
        same: NDArray[np.bool_] = (self.count > 0) & (self.low == self.high)
        return same


class Sample:
    """A uniform sample of all rows so far (algorithm R), the same for the same rows and seed."""

    def __init__(self, width: int, *, size: int = SAMPLE_ROWS, seed: int = 0) -> None:
        self._rows = np.empty((size, width))
        self._seen = 0
        self._random = np.random.default_rng(seed)

    def update(self, rows: NDArray[np.floating[Any]]) -> None:
        """Add rows, (N, D)."""
        size = len(self._rows)
        free = max(0, min(size - self._seen, len(rows)))
        self._rows[self._seen : self._seen + free] = rows[:free]
        later = np.arange(self._seen + free, self._seen + len(rows))
        places = (self._random.random(len(later)) * (later + 1)).astype(np.int64)
        kept = places < size
        self._rows[places[kept]] = rows[free:][kept]
        self._seen += len(rows)

    @property
    def rows(self) -> NDArray[np.float64]:
        """(min(N, size), D), in no order."""
        return self._rows[: min(self._seen, len(self._rows))]

    @property
    def complete(self) -> bool:
        """Whether the sample is all rows there were."""
        return self._seen <= len(self._rows)

    def quantiles(self, at: tuple[float, ...]) -> NDArray[np.float64]:
        """Return (len(at), D); NaN for a column without finite numbers."""
        finite = np.where(np.isfinite(self.rows), self.rows, np.nan)
        result = np.full((len(at), finite.shape[1]), np.nan)
        some = ~np.isnan(finite).all(axis=0)
        if some.any():
            result[:, some] = np.nanquantile(finite[:, some], at, axis=0)
        return result
