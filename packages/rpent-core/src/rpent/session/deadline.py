"""The time limit of a session: a timer that can be paused while the session waits for its user."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.session.limits import Budget


class Deadline:
    """Calls `on_over` once the budget's wall clock is used up."""

    def __init__(self, budget: Budget, on_over: Callable[[], None]) -> None:
        self._budget = budget
        self._on_over = on_over
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._stopped = False

    def start(self) -> None:
        """Start the clock."""
        self._budget.start()
        self._arm()

    def pause(self) -> None:
        """Stop the clock for a while."""
        self._disarm()
        self._budget.pause()

    def resume(self) -> None:
        """Let the clock run on."""
        self._budget.unpause()
        self._arm()

    def stop(self) -> None:
        """Never call back any more."""
        with self._lock:
            self._stopped = True
        self._disarm()

    def _arm(self) -> None:
        remaining = self._budget.remaining_s
        with self._lock:
            if self._stopped or remaining is None or remaining >= threading.TIMEOUT_MAX:
                return
            self._timer = threading.Timer(remaining, self._on_over)
            self._timer.daemon = True
            self._timer.start()

    def _disarm(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
