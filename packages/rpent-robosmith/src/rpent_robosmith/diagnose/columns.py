"""A vector of all steps, in bounded memory: moments, a sample, and a few quantiles of each episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.statistics import Moments, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

SKETCH = np.linspace(0.0, 1.0, 33)
"""The quantiles that are kept of each number of each episode, for comparisons."""


@dataclass(slots=True)
class Column:
    """A vector of all steps."""

    moments: Moments
    sample: Sample
    sketches: list[NDArray[np.float32]] = field(default_factory=list)
    """An episode each: (quantiles, D)."""
    values: list[set[float] | None] = field(default_factory=list)
    """The different values of each number, until there are more than two."""

    @classmethod
    def of(cls, width: int) -> Column:
        """Begin with no rows."""
        return cls(moments=Moments(width), sample=Sample(width), values=[set() for _ in range(width)])

    def update(self, rows: NDArray[np.floating[Any]]) -> None:
        """Add an episode, (T, D)."""
        values = np.asarray(rows, np.float64)
        self.moments.update(values)
        self.sample.update(values)
        finite = np.where(np.isfinite(values), values, np.nan)
        sketch = np.full((len(SKETCH), values.shape[1]), np.nan, np.float32)
        some = ~np.isnan(finite).all(axis=0) if len(values) else np.zeros(values.shape[1], np.bool_)
        if some.any():
            sketch[:, some] = np.nanquantile(finite[:, some], SKETCH, axis=0)
        self.sketches.append(sketch)
        for number, known in enumerate(self.values):
            if known is not None:
                known.update(np.unique(finite[:, number][~np.isnan(finite[:, number])])[:3].tolist())
                self.values[number] = known if len(known) <= 2 else None

    @property
    def span(self) -> NDArray[np.float64]:
        """(D,) range seen so far; 0 where nothing was seen."""
        seen: NDArray[np.float64] = np.where(
            self.moments.count > 0, self.moments.high - self.moments.low, 0.0
        )
        return seen

    @property
    def switches(self) -> NDArray[np.bool_]:
        """(D,) whether a number only ever took two values."""
        return np.array([known is not None and len(known) == 2 for known in self.values], np.bool_)
