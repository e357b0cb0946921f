"""Cancellation that reaches from a user's key press to a running control loop."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


NO_REASON = "cancelled"
"""The reason where nobody gave one."""


class CancelToken:
    """A flag that is set once, from any thread, and calls back whoever waits for it."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.reason = ""
        self.insisted = False
        """Whether whoever cancelled will not wait long any more, as after a second Ctrl-C."""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self, reason: str = NO_REASON) -> None:
        """Set the flag and run the callbacks, once."""
        with self._lock:
            if self._event.is_set():
                return
            self.reason = reason
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def insist(self) -> None:
        """Say that what was cancelled shall not take its time."""
        self.insisted = True

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when the flag is set (at once when it is); returns a function that takes it back."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return lambda: self._discard(callback)
        callback()
        return lambda: None

    def wait(self, timeout_s: float) -> bool:
        """Wait until the flag is set or the time is over; returns whether it is set."""
        return self._event.wait(timeout_s)

    def _discard(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
