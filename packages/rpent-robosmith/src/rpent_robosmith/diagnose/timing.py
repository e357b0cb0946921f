"""The recorded timestamps against the declared rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.diagnose.records import Timing

if TYPE_CHECKING:
    from numpy.typing import NDArray

OFF = 0.1
"""Of 1/fps: what an interval may differ by."""


@dataclass(slots=True)
class TimingTally:
    """Intervals between steps, episode after episode."""

    count: int = 0
    off: int = 0
    backwards: int = 0
    largest: float = 0.0
    total: float = 0.0

    def add(self, timestamps: NDArray[np.floating[Any]] | None, fps: float | None) -> None:
        """Count an episode's intervals; (T,) seconds."""
        if timestamps is None or len(timestamps) < 2:
            return
        steps = np.diff(timestamps)
        finite = steps[np.isfinite(steps)]
        wrong = np.abs(finite - 1.0 / fps) > OFF / fps if fps else np.zeros(len(finite), np.bool_)
        self.count += len(steps)
        self.off += int(wrong.sum()) + len(steps) - len(finite)
        self.backwards += int((finite <= 0).sum())
        self.largest = max(self.largest, float(finite.max(initial=0.0)))
        self.total += float(finite.sum())

    def summary(self) -> Timing | None:
        """Return what was seen; None where nothing has timestamps."""
        if not self.count:
            return None
        return Timing(
            steps=self.count,
            off=self.off,
            backwards=self.backwards,
            largest_gap_s=self.largest,
            mean_interval_s=self.total / self.count,
        )
