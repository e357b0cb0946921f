"""The clocks that a worker is held to."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.work.api import Limits

_START_S = 120.0
"""Before its first word a worker imports its libraries, which a cold disk can make slow."""


class Watch:
    """Wall clock and silence of one job; the time in which the owner itself is busy with a message does not count."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = self._last = time.monotonic()
        self._started = False

    @property
    def silence_s(self) -> float:
        """How long the worker may say nothing now."""
        return self._limits.silence_s if self._started else max(self._limits.silence_s, _START_S)

    def alive(self) -> None:
        """Note that the worker said something."""
        self._started, self._last = True, time.monotonic()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clocks while the owner is busy."""
        before = time.monotonic()
        try:
            yield
        finally:
            away = time.monotonic() - before
            self._start += away
            self._last += away

    def overdue(self) -> bool:
        """Whether the job took longer than it may."""
        return self._limits.wall_s is not None and time.monotonic() - self._start > self._limits.wall_s

    def should_ask(self) -> bool:
        """Whether it is time to ask it to end with what there is."""
        return self._limits.ask_s is not None and time.monotonic() - self._start > self._limits.ask_s

    def silent(self) -> bool:
        """Whether it has said nothing for too long."""
        return time.monotonic() - self._last > self.silence_s


def resident_bytes(pid: int) -> int:
    """Return the memory that a process holds, libraries included; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
