"""Threads for calls that run beside others. They are daemons: a handler that hangs keeps no interpreter alive.

`concurrent.futures` joins its threads when the interpreter ends, however long that takes.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger(__name__)


class DaemonPool:
    """Runs work on up to `limit` threads, which are started as they are needed."""

    def __init__(self, limit: int, *, name: str) -> None:
        self._limit, self._name = limit, name
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closed = False

    def submit(self, work: Callable[[], None]) -> None:
        """Run `work` on one of the threads, when one is free.

        Raises:
            RuntimeError: The pool was shut down.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("The pool was shut down.")
            self._work.put(work)
            if not self._idle.acquire(blocking=False) and len(self._threads) < self._limit:
                name = f"{self._name}-{len(self._threads)}"
                thread = threading.Thread(target=self._run, daemon=True, name=name)
                self._threads.append(thread)
                thread.start()

    def shutdown(self, timeout_s: float) -> bool:
        """Drop what waits and give what runs some time; return whether all of it has ended."""
        with self._lock:
            self._closed = True
        try:
            while True:
                self._work.get_nowait()
        except queue.Empty:
            pass
        for _ in self._threads:
            self._work.put(None)
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            except BaseException:  # noqa: BLE001  (a handler may even call sys.exit(); the others go on)
                _log.exception("a call ended in an exception that nobody expected")
            self._idle.release()
