"""The recorded conversation of a resumed run, as messages of pydantic-ai."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from rpent.planners.parts import LEFT_OUT, standing_parts
from rpent.runs.pictures import Picture

from rpent_planner_api.toolset import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic_ai.messages import ModelResponsePart
    from rpent.planners.parts import Part
    from rpent.session.session import Session

    from rpent_planner_api.history import History

_UNANSWERED = json.dumps({"error": "The run was interrupted before this call ended."})


def restore(history: History, session: Session, *, images: bool) -> None:
    """Fill a history with what was recorded (texts, calls, results, pictures) and with where the world stands now."""
    replay = _Replay(history, session.recorder.directory.path if images else None)
    if not any(entry["role"] == "system" for entry in session.history):
        history.tell([session.prompts.user])
    for entry in session.history:
        replay.add(entry)
    replay.close_reply()
    history.tell(standing_parts(session, images))


class _Replay:
    """Feeds transcript entries to a history, one reply of the model at a time."""

    def __init__(self, history: History, folder: Path | None) -> None:
        self._history = history
        self._folder = folder
        self._turn: int | None = None
        self._said: list[ModelResponsePart] = []
        self._results: dict[str, Mapping[str, Any]] = {}
        self._heard: list[str] = []

    def add(self, entry: Mapping[str, Any]) -> None:
        match entry["role"]:
            case "system":
                self._history.tell([entry["user"]])
            case "observation":
                self.close_reply()
                state = json.dumps(entry["state"], ensure_ascii=False, separators=(",", ":"))
                observed = f"Observation (step {entry['step']}): {state}"
                self._history.tell([observed, *self._pictures(entry)])
            case "user":  # perhaps while a tool was running
                self._heard.append(entry["text"])
            case "assistant" if "thinking" not in entry:
                self._assistant(entry)
            case "tool":
                self._results[entry["call_id"]] = entry

    def close_reply(self) -> None:
        """Add the model's reply, the results of its calls and what the user said meanwhile."""
        if self._said:
            self._history.request()
            self._history.answered(ModelResponse(parts=self._said))
        for part in self._said:
            if isinstance(part, ToolCallPart):
                entry = self._results.get(part.tool_call_id, {"text": _UNANSWERED, "ok": False})
                content = content_of([entry["text"], *self._pictures(entry)])
                self._history.returned(part, content, failed=not entry["ok"])
        for text in self._heard:
            self._history.tell([text])
        self._said, self._results, self._heard, self._turn = [], {}, [], None

    def _assistant(self, entry: Mapping[str, Any]) -> None:
        if entry["turn"] != self._turn:
            self.close_reply()
        self._turn = entry["turn"]
        if "tool" not in entry:
            self._said.append(TextPart(content=entry["text"]))
            return
        arguments = entry["arguments"]
        self._said.append(
            ToolCallPart(
                tool_name=entry["tool"],
                args=arguments if isinstance(arguments, (dict, str)) else json.dumps(arguments),
                tool_call_id=entry["call_id"],
            )
        )

    def _pictures(self, entry: Mapping[str, Any]) -> Iterable[Part]:
        for reference in entry.get("images", ()):
            caption = reference.get("caption") or reference.get("name", "")
            picture = _loaded(reference, self._folder)
            if picture is None:
                yield f"{caption}: {LEFT_OUT}"
            else:
                yield from (f"{caption}:", picture)


def _loaded(reference: Mapping[str, Any], folder: Path | None) -> Picture | None:
    """Read a picture of the run directory; None for one that is not wanted, or not there."""
    path = reference.get("path")
    if folder is None or not path:
        return None
    file = (folder / path).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        return None
    return Picture(
        name=reference["name"],
        caption=reference.get("caption", ""),
        data=file.read_bytes(),
        width=reference.get("width", 0),
        height=reference.get("height", 0),
        media_type=reference.get("media_type", "image/jpeg"),
        path=path,
    )
