"""Several jobs at a time. Whoever asked hears and collects in its own thread, so that only one thread writes files."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from rpent_robosmith.work.api import Bench, Job

    Heard = Callable[[int, str, Mapping[str, Any]], None]

_LOOK_S = 0.2
_END_S = 5.0


class _StoppedError(Exception):
    """The asker is gone: the worker that is heard of last is not wanted any more."""


def run_all(
    bench: Bench, jobs: Sequence[Job], *, at_once: int = 2, heard: Heard | None = None
) -> Generator[tuple[int, dict[str, Any] | RpentError]]:
    """Yield each job's number with its result, or with the expected error that it ended in, as they end.

    Close it (`contextlib.closing`) where the loop over it may end early: that ends the jobs.

    Args:
        bench: Runs them; its `run` is called from several threads.
        jobs: Started in this order.
        at_once: So many run at a time.
        heard: Called in the asker's thread with a job's number and its message.

    Raises:
        Exception: What is not expected ends all of them, as does an exception of `heard` or of the asker (Ctrl-C).
    """
    said: queue.Queue[tuple[int, str, Any]] = queue.Queue()
    waiting = list(enumerate(jobs))
    lock, stop = threading.Lock(), threading.Event()

    def work() -> None:
        while not stop.is_set():
            with lock:
                if not waiting:
                    return
                number, job = waiting.pop(0)
            outcome = _outcome(bench, job, number, said, stop)
            if isinstance(outcome, BaseException) and not isinstance(outcome, RpentError):
                stop.set()  # a bug, or Ctrl-C: nothing else is begun
            said.put((number, "", outcome))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(jobs)))]
    for thread in threads:
        thread.start()
    try:
        yield from _collected(said, len(jobs), heard)
    finally:
        stop.set()
        _join(threads)


def _outcome(
    bench: Bench, job: Job, number: int, said: queue.Queue[tuple[int, str, Any]], stop: threading.Event
) -> dict[str, Any] | BaseException:
    def pass_on(kind: str, data: Mapping[str, Any]) -> None:
        if stop.is_set():
            raise _StoppedError
        said.put((number, kind, data))

    try:
        return bench.run(job, pass_on)
    except BaseException as error:  # noqa: BLE001  (raised again in the asker's thread)
        return error


def _collected(
    said: queue.Queue[tuple[int, str, Any]], count: int, heard: Heard | None
) -> Iterator[tuple[int, dict[str, Any] | RpentError]]:
    left = count
    while left:
        try:
            number, kind, data = said.get(timeout=_LOOK_S)  # without a limit, Ctrl-C would wait for a message
        except queue.Empty:
            continue
        if kind:
            if heard is not None:
                heard(number, kind, data)
            continue
        left -= 1
        if isinstance(data, BaseException) and not isinstance(data, RpentError):
            raise data
        yield number, data


def _join(threads: Sequence[threading.Thread]) -> None:
    """Wait a little; a worker that says nothing is ended by its own limits, or with this process."""
    deadline = time.monotonic() + _END_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
