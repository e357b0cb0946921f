"""A number that grows with each change, for threads that change something and streams that wait for it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress


class Changes:
    """Wakes every stream that waits; a slow one misses numbers, never the last one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = 0
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def version(self) -> int:
        """How many changes there were."""
        return self._version

    def bump(self) -> None:
        """Note a change, from any thread."""
        with self._lock:
            self._version += 1
            waiting = list(self._waiting)
        for loop, woken in waiting:
            with suppress(RuntimeError):  # that loop has ended
                loop.call_soon_threadsafe(woken.set)

    async def after(self, version: int) -> int:
        """Wait until there was a change after `version`; return the number of the last one."""
        key = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(key)
        try:
            if self._version == version:
                await key[1].wait()
            return self._version
        finally:
            with self._lock:
                self._waiting.discard(key)
