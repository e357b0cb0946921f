"""What a perception server counts."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from rpent.policies.counts import Seconds

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")


class Statistics:
    """Requests, failures and seconds; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = self._answered = self._failed = 0
        self._seconds = Seconds()

    def arrived(self) -> None:
        """Count a request that waits for its answer."""
        with self._lock:
            self._waiting += 1

    def left(self) -> None:
        """Count one less."""
        with self._lock:
            self._waiting -= 1

    def timed(self, work: Callable[..., R], *arguments: Any) -> R:
        """Do the work, and note how long it took and whether it failed."""
        started, failed = time.monotonic(), True
        try:
            result = work(*arguments)
            failed = False
            return result
        finally:
            elapsed = time.monotonic() - started
            with self._lock:
                self._answered += not failed
                self._failed += failed
                self._seconds.add(elapsed)

    def data(self) -> dict[str, Any]:
        """Return them as plain data."""
        with self._lock:
            return {
                "waiting": self._waiting,
                "answered": self._answered,
                "failed": self._failed,
                "mean_s": round(self._seconds.mean, 4) if self._seconds.count else None,
                "max_s": round(self._seconds.longest, 4),
            }
