"""What a policy server counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Seconds:
    """Mean and maximum of durations."""

    count: int = 0
    total: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.count += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)

    @property
    def mean(self) -> float:
        """The mean; 0 before there is one."""
        return self.total / self.count if self.count else 0.0

    def data(self) -> dict[str, float]:
        """Return plain data."""
        return {"mean": self.mean, "max": self.longest, "total": self.total}


@dataclass(slots=True)
class Statistics:
    """Counts since the server started."""

    answered: int = 0
    failed: int = 0
    infer: Seconds = field(default_factory=Seconds)
    """Of one call of the model, however many requests it answers."""
    answer: Seconds = field(default_factory=Seconds)
    """Of one request, from its arrival to its answer."""
    batches: Counter[int] = field(default_factory=Counter)
    """How many requests were asked together → how often."""

    def count(self, seconds: float, *, failed: bool) -> None:
        """Count a request that got its answer after so long."""
        self.answered += not failed
        self.failed += failed
        self.answer.add(seconds)

    def data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "answered": self.answered,
            "failed": self.failed,
            "infer_seconds": self.infer.data(),
            "answer_seconds": self.answer.data(),
            "batches": {str(size): number for size, number in sorted(self.batches.items())},
        }
