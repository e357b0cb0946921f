"""The clocks that a worker is held to."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpent_robosmith.work.api import Limits

_START_S = 120.0
"""Before its first word a worker imports its libraries, which a cold disk can make slow."""
_TOKEN_BYTES = 64 * 2**10
_TOKENS_A_SECOND = 100.0
MOST_TOKENS = 30_000.0
"""Of messages, see `Quota`."""


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


class Quota:
    """How many and how large messages a sealed worker may send: hostile code could send them as fast as it can.

    A message costs a token, and another for each 64 KiB. There are 100 a second, and at first (and after a pause) as
    many as the largest checkpoints take, about 2 GiB.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens, self._last = MOST_TOKENS, clock()

    def spend(self, message_bytes: int) -> bool:
        """Pay for a message; returns whether there was enough."""
        now = self._clock()
        self._tokens = min(self._tokens + (now - self._last) * _TOKENS_A_SECOND, MOST_TOKENS)
        self._last = now
        self._tokens -= 1 + message_bytes // _TOKEN_BYTES
        return self._tokens >= 0


def resident_bytes(pid: int) -> int:
    """Return the memory that a process holds, libraries included; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
