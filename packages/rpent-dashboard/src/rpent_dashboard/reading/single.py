"""One event, whole: for what a stream had to cut."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic_core import from_json, to_json

from rpent_dashboard.reading.keys import MissingError
from rpent_dashboard.reading.lines import as_json, lenient
from rpent_dashboard.reading.opening import opened
from rpent_dashboard.reading.tail import LineNumbers

if TYPE_CHECKING:
    from pathlib import Path

MAX_EVENT = 16_000_000
"""A longer line is not sent in one piece; the file itself can be downloaded."""


def whole_event(run: Path, offset: int) -> bytes:
    """Return the line of `events.jsonl` at an offset as JSON, nothing left out; of a broken one, its text.

    Raises:
        MissingError: No whole line begins there, or it is too long.
    """
    events = run / "events.jsonl"
    line = _line(events, offset)
    try:
        if isinstance(from_json(line, allow_inf_nan=False), dict):
            return line
    except ValueError:
        pass
    if isinstance(event := lenient(line), dict):
        return as_json(event)
    text = line.decode("utf-8", "replace")
    return to_json({"type": "broken", "line": LineNumbers(events).at(offset), "offset": offset, "text": text})


def _line(events: Path, offset: int) -> bytes:
    line = b""
    with suppress(OSError), opened(events) as file:
        file.seek(max(0, offset - 1))
        if offset == 0 or file.read(1) == b"\n":
            line = file.readline(MAX_EVENT)
    if not line.endswith(b"\n"):
        raise MissingError("No event begins there.", hint="`events.jsonl` of the run can be downloaded.")
    return line[:-1]
