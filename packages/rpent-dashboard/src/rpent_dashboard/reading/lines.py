"""A line of `events.jsonl` → the event as the browser gets it, as JSON text."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json, to_json
from rpent.encodable import encodable
from rpent.runs.files import plain

MAX_TEXT = 20_000
"""Characters of a string that are sent; the whole event has an address of its own."""
MAX_EVENT = 200_000
"""Bytes of an event; the largest parts of a larger one are left out."""
SHOWN = 200
"""Characters of a broken line that are shown."""


def event_json(line: bytes) -> bytes | None:
    """Return an event as JSON in one line without carriage returns; None where the line holds no event.

    The bytes pass through where nothing has to be changed. `tool_returned` loses its `text`, which says the same as
    `data`; long strings are cut, and the event is then marked `"cut": true`. Types that are not known stay as they are.
    """
    try:
        return _event_json(line)
    except RecursionError:
        return None


def _event_json(line: bytes) -> bytes | None:
    try:
        event = from_json(line, allow_inf_nan=False, cache_strings="keys")
        changed = b"\r" in line
    except ValueError:
        event, changed = lenient(line), True
    if not isinstance(event, dict):
        return None
    if event.get("type") == "tool_returned" and "data" in event and event.pop("text", None) is not None:
        changed = True
    if len(line) > MAX_TEXT and (cut := _cut(event)) is not event:
        event, changed = {**cut, "cut": True}, True
    if not changed and len(line) <= MAX_EVENT:
        return line
    return _small_enough(event, as_json(event))


def broken_json(line: bytes, number: int, offset: int) -> bytes:
    """Return what is sent in place of a line that holds no event."""
    text = line[: 4 * SHOWN].decode("utf-8", "replace")[:SHOWN]
    return to_json({"type": "broken", "line": number, "offset": offset, "text": text})


def parsed(line: bytes) -> Any:
    """Read a line; None where it holds nothing that can be read."""
    try:
        return from_json(line, allow_inf_nan=False)
    except ValueError:
        return lenient(line)


def lenient(line: bytes) -> Any:
    """Read what is almost JSON: NaN and infinities become null, halves of surrogate pairs are replaced."""
    try:
        return encodable(plain(json.loads(line.decode())))
    except (ValueError, RecursionError):
        return None


def as_json(event: dict[str, Any]) -> bytes:
    """Write what was read leniently."""
    try:
        return to_json(event)
    except ValueError:  # nested more deeply than pydantic writes
        return json.dumps(event).encode()


def _cut(value: Any) -> Any:
    """Return the value with long strings cut; the very same object where there are none."""
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[:MAX_TEXT]
    if isinstance(value, dict):
        pairs = {key: _cut(item) for key, item in value.items()}
        return pairs if any(pairs[key] is not value[key] for key in value) else value
    if isinstance(value, list):
        items = [_cut(item) for item in value]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def _small_enough(event: dict[str, Any], data: bytes) -> bytes:
    """Leave the largest parts out until the event fits into a batch."""
    sizes = {}
    if len(data) > MAX_EVENT:
        sizes = {name: len(as_json({name: value})) for name, value in event.items() if name != "type"}
    dropped: list[str] = []
    for name in sorted(sizes, key=lambda name: sizes[name], reverse=True):
        if len(data) - sum(sizes[gone] for gone in dropped) <= MAX_EVENT:
            break
        dropped.append(name)
    if not dropped:
        return data
    kept = {name: value for name, value in event.items() if name not in dropped}
    return as_json({**kept, "cut": True, "dropped": dropped})
