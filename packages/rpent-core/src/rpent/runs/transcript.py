"""The transcript: the conversation as one JSON document that is valid after every write.

The file always ends in the closing brackets; an entry is written over them with one system call, so that the
cost of an entry does not grow with the run.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from rpent.runs import events as ev
from rpent.runs.files import plain, unwritable, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rpent.runs.events import Event

_TAIL = b"\n]}\n"


def entry_of(event: Event) -> dict[str, Any] | None:  # noqa: PLR0911  (one entry an event)
    """Return the transcript's entry for an event, or None for one that is not part of the conversation."""
    match event:
        case ev.PromptsRendered():
            return {"role": "system", "text": event.system, "user": event.user}
        case ev.AssistantText():
            return {"role": "assistant", "turn": event.turn, "text": event.text}
        case ev.AssistantThinking():
            return {"role": "assistant", "turn": event.turn, "thinking": event.text}
        case ev.ToolCalled(origin="user") | ev.ToolReturned(origin="user"):
            return _user_call(event)
        case ev.ToolCalled():
            return {
                "role": "assistant",
                "turn": event.turn,
                "call_id": event.call_id,
                "tool": event.name,
                "arguments": event.arguments,
            }
        case ev.ToolReturned():
            return {
                "role": "tool",
                "call_id": event.call_id,
                "tool": event.name,
                "ok": event.ok,
                "text": event.text,
                "images": event.images,
            }
        case ev.StepCaptured():
            return {"role": "observation", "step": event.step, "state": event.state, "images": event.images}
        case ev.UserMessage():
            return {"role": "user", "origin": event.origin, "text": event.text}
        case ev.AttemptStarted():
            return {"role": "attempt", "attempt": event.attempt, "state": "started", "step": event.step}
        case ev.AttemptEnded():
            return {
                "role": "attempt",
                "attempt": event.attempt,
                "state": "ended",
                "benchmark_success": event.benchmark_success,
                "status": event.status,
                "text": event.lesson,
            }
        case ev.SessionEnded():
            return {
                "role": "session",
                "reason": event.reason,
                "status": event.planner_status,
                "text": event.detail,
            }
        case _:
            return None


def _user_call(event: ev.ToolCalled | ev.ToolReturned) -> dict[str, Any]:
    """Return what a planner that reads the transcript is told of a call that is not its own."""
    if isinstance(event, ev.ToolCalled):
        arguments = json.dumps(plain(event.arguments), ensure_ascii=False)
        text = f"The user called `{event.name}` themselves, with {arguments}."
    else:
        text = f"The user's `{event.name}` gave: {event.text}"
    return {"role": "user", "origin": "call", "call_id": event.call_id, "text": text}


class Transcript:
    """Appends entries to `transcript.json`."""

    def __init__(self, path: Path, entries: Iterable[dict[str, Any]] = ()) -> None:
        self.path = path
        lines = [json.dumps(plain(entry), ensure_ascii=False) for entry in entries]
        self._empty = not lines
        head = '{"version": 1, "entries": [' + ",".join("\n" + line for line in lines)
        write_atomic(path, head.encode() + _TAIL)
        self._end = len(head.encode())
        self._file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry.

        Raises:
            RunDirectoryError: The file system refuses.
        """
        body = ("\n" if self._empty else ",\n").encode() + json.dumps(
            plain(entry), ensure_ascii=False
        ).encode()
        try:
            os.pwrite(self._file, body + _TAIL, self._end)
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._end += len(body)
        self._empty = False

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
