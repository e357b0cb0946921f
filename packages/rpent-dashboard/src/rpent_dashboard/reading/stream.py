"""Server-sent events: a run's event log and its services' logs, as long as they grow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync
from pydantic_core import to_json

from rpent_dashboard.reading.lines import broken_json, event_json
from rpent_dashboard.reading.liveness import is_over, stamp
from rpent_dashboard.reading.tail import LineNumbers, Tail

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from rpent_dashboard.reading.tail import Line, Reading
    from rpent_dashboard.reading.watch import Watcher

BATCH = 256_000
"""Bytes of events that one message carries at most."""
LOOK_S = 2.0
"""How often a followed run is looked at when nothing is reported: a process that is killed reports nothing."""
INLINE = 65_536
"""So many bytes are read at once on the event loop; more go to a thread."""
MAX_LOG_LINE = 2_000
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b.|[\x00-\x08\x0b-\x1f\x7f]")
RETRY = b"retry: 1000\n\n"


def message(event: str, data: bytes = b"{}", offset: int | None = None) -> bytes:
    """Return a server-sent event; `data` is one line."""
    identity = b"" if offset is None else b"id: %d\n" % offset
    return b"event: %s\n%bdata: %b\n\n" % (event.encode(), identity, data)


async def run_stream(watcher: Watcher, run: Path, offset: int) -> AsyncIterator[bytes]:
    """Yield the events of a run from an offset on, then what is appended, until it is over.

    `restart` says that the file is not the one that the offset belongs to: the events begin anew.
    """
    tail, known = Tail(run / "events.jsonl", offset), stamp(run / "run.json")

    numbers = LineNumbers(tail.path)

    async def news() -> AsyncIterator[bytes]:
        nonlocal known
        async for found in _all_new(tail, lambda reading: list(event_messages(reading, numbers))):
            yield found
        if (now := stamp(run / "run.json")) != known:
            known = now
            yield message("manifest")

    yield RETRY
    if not is_over(run):
        with watcher.follow(run, wants={"events.jsonl", "run.json", ".lock"}.__contains__) as changes:
            while not is_over(run):
                async for found in news():
                    yield found
                await changes.wait(LOOK_S)
    async for found in news():  # what was written until nobody wrote any more
        yield found
    yield message("end")


async def log_stream(watcher: Watcher, run: Path, log: Path, offset: int) -> AsyncIterator[bytes]:
    """Yield the lines of a service's log from an offset on, then what is appended, until the run is over."""
    tail = Tail(log, offset)
    yield RETRY
    if not is_over(run):
        with watcher.follow(run, log.parent, wants={log.name, "run.json", ".lock"}.__contains__) as changes:
            while not is_over(run):
                async for found in _all_new(tail, log_messages):
                    yield found
                await changes.wait(LOOK_S)
    async for found in _all_new(tail, log_messages):
        yield found
    if rest := tail.rest():
        yield message("lines", to_json([clean(rest)]), tail.offset)
    yield message("end")


async def _all_new(tail: Tail, describe: Callable[[Reading], list[bytes]]) -> AsyncIterator[bytes]:
    """Yield the messages of everything that is in the file and was not read yet."""

    def read() -> tuple[bool, list[bytes]]:
        reading = tail.read()
        return bool(reading.lines), describe(reading)

    more = True
    while more:
        more, messages = read() if tail.behind() <= INLINE else await run_sync(read)
        for one in messages:
            yield one


def event_messages(reading: Reading, numbers: LineNumbers) -> Iterator[bytes]:
    """Yield the messages of what was read, each within the limit of a batch."""
    if reading.restarted:
        yield message("restart", offset=0)
    batch: list[bytes] = []
    size = end = 0
    for line in reading.lines:
        event = event_json(line.data) if line.whole else None
        if event is None and line.data.strip():
            event = broken_json(line.data, numbers.at(line.offset), line.offset)
        elif event is not None:
            event = placed(event, line)
        if event is not None:
            if batch and size + len(event) > BATCH:
                yield message("events", b"[%b]" % b",".join(batch), end)
                batch, size = [], 0
            batch.append(event)
            size += len(event) + 1
        end = line.offset + len(line.data) + 1
    if batch:
        yield message("events", b"[%b]" % b",".join(batch), reading.end)


def placed(event: bytes, line: Line) -> bytes:
    """Return an event with where its line is in the file, so that a page can ask for it again, and the line's size."""
    return (
        b'{"offset":%d,"size":%d,%b' % (line.offset, len(line.data), event[1:])
        if event[:2] == b'{"'
        else event
    )


def log_messages(reading: Reading) -> list[bytes]:
    """Return the messages of what was read of a log."""
    restart = [message("restart", offset=0)] if reading.restarted else []
    lines = [clean(line.data) for line in reading.lines]
    return [*restart, message("lines", to_json(lines), reading.end)] if lines else restart


def clean(line: bytes) -> str:
    """Return a line as text: of a progress bar its last state, no colours, not too long."""
    text = line.decode("utf-8", "replace").rstrip("\r").rpartition("\r")[2]
    return _CONTROL.sub("", text)[:MAX_LOG_LINE]
