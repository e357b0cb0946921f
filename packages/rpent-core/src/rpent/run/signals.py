"""Ctrl-C, SIGTERM and a terminal that is closed: the first one ends the run in order, at any stage."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts:
    """Turns signals into `KeyboardInterrupt` or, where the run looks for itself, into `pressed`.

    Signals reach only the main thread; a run in another thread is stopped through its cancel token instead.
    """

    def __init__(self) -> None:
        self.pressed = 0
        self.raising = True
        """True: a signal raises `KeyboardInterrupt` where the main thread is. False: it is only counted."""
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is signal.SIG_IGN and number != signal.SIGINT:
                    continue  # `nohup`: the run shall outlive its terminal
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.pressed += 1
        if self.raising:
            raise KeyboardInterrupt
