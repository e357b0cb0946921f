"""One call at a time, in the order of arrival, on one thread; callers wait no longer than they must."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rpent.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


@dataclass(eq=False)
class Job(Generic[Result]):
    """A call in the queue."""

    run: Callable[[Job[Result]], Result]
    token: CancelToken = field(default_factory=CancelToken)
    result: Any = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    """Set when the job is done or cancelled."""

    def wait(self, grace_s: float) -> bool:
        """Wait for the end; after a cancellation at most `grace_s`. Returns whether the job is done."""
        take_back = self.token.on_cancel(self.wake.set)
        try:
            self.wake.wait()
            return self.done.wait(grace_s)
        finally:
            take_back()


class Worker:
    """The thread that runs jobs; a daemon, since a tool that ignores its cancellation may stay in it."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._open: set[Job[Any]] = set()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job[Any]) -> None:
        """Queue a job."""
        with self._lock:
            self._open.add(job)
        self._jobs.put(job)

    def cancel_all(self, reason: str, *, sparing: Job[Any] | None = None) -> None:
        """Cancel the running job and the queued ones, except `sparing`."""
        with self._lock:
            jobs = [job for job in self._open if job is not sparing]
        for job in jobs:
            job.token.cancel(reason)

    def close(self, timeout_s: float) -> bool:
        """Stop after the queued jobs; returns whether the thread ended in time."""
        self._jobs.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Whether the caller is this thread."""
        return threading.current_thread() is self._thread

    def _loop(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job.result = job.run(job)
            except BaseException as error:  # noqa: BLE001  (the waiting caller gets it)
                job.error = error
            with self._lock:
                self._open.discard(job)
            job.done.set()
            job.wake.set()
