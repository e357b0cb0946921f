"""What a language model is shown, as a sequence of texts and pictures: the neutral form before each SDK's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rpent.runs.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpent.session.reply import ToolReply
    from rpent.session.session import Session

Part = str | Picture

LEFT_OUT = "[picture left out]"
"""Stands for a picture that the model does not get."""
INTERRUPTED = "[The user interrupted your reply.]"
"""What a model reads behind a reply that the user broke off."""
BROKE_OFF = (
    "Your last reply broke off before it was complete; nothing of it was done. Go on from where you were."
)
"""What a model reads where the connection broke, and its SDK keeps a part of the reply or asks for a new message."""
_SHORT = 300
"""Characters that are left of an old tool result when the history has to be shortened."""


def opening_parts(session: Session, images: bool = True) -> list[Part]:
    """Return the first message: the user prompt, the first observation as JSON, its pictures with captions."""
    opening = session.opening
    return [session.prompts.user, f"Opening observation: {opening.text}", *picture_parts(opening, images)]


def reply_parts(reply: ToolReply, images: bool = True) -> list[Part]:
    """Return what a tool call gave: its JSON text, then each picture behind its caption."""
    return [reply.text, *picture_parts(reply, images)]


def picture_parts(reply: ToolReply, images: bool = True) -> list[Part]:
    """Return caption and picture in turn; captions stay where pictures are switched off."""
    parts: list[Part] = []
    for picture in reply.images:
        caption = picture.caption or picture.name
        parts += [f"{caption}:", picture] if images else [f"{caption}: {LEFT_OUT}"]
    return parts


def history_parts(session: Session, images: bool = True, max_chars: int = 60_000) -> list[Part]:
    """Return the first message of a resumed run, for an SDK that takes no structured history.

    The recorded conversation as text (the oldest tool results shortened first, then the oldest entries left out),
    a note on where the world stands, and the current observation.

    Args:
        session: A session with `history`.
        images: Whether the model gets pictures.
        max_chars: Characters of the recorded conversation.
    """
    return [
        session.prompts.user,
        "This run was interrupted and now goes on. The conversation so far, as it was recorded, without its pictures:",
        _fitted(session.history, max_chars),
        *standing_parts(session, images),
    ]


def standing_parts(session: Session, images: bool = True) -> list[Part]:
    """Return where a resumed run stands: what was recorded ends here, and this is what there is now."""
    step = session.opening.data.get("step")
    return [
        "The run was interrupted and goes on here: the world is as it was after the last recorded step, observed "
        f"anew as step {step}. Continue with the next tool call.\nCurrent observation: {session.opening.text}",
        *picture_parts(session.opening, images),
    ]


def history_lines(history: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one readable line for each entry of a transcript that a model should know; prompts are left out."""
    return [line for entry in history if (line := _line(entry))]


def _line(entry: Mapping[str, Any]) -> str:
    match entry.get("role"):
        case "assistant" if "tool" in entry:
            return f"You called `{entry['tool']}` with {_json(entry.get('arguments'))}"
        case "assistant" if "text" in entry:
            return f"You said: {entry['text']}"
        case "tool":
            return f"Result of `{entry['tool']}`: {entry['text']}"
        case "observation":
            return f"Observation (step {entry['step']}): {_json(entry.get('state'))}"
        case "user":
            who = "The user" if entry.get("origin", "user") == "user" else "The system"
            return f"{who} said: {entry['text']}"
        case _:
            return ""


def _fitted(history: Sequence[Mapping[str, Any]], max_chars: int) -> str:
    """Shorten from the oldest on until the text fits."""
    lines = history_lines(history)
    total = sum(len(line) + 1 for line in lines)
    for index, line in enumerate(lines):
        if total <= max_chars:
            break
        short = _shortened(line)
        total -= len(line) - len(short)
        lines[index] = short
    dropped = 0
    while lines[dropped:] and total > max_chars:
        total -= len(lines[dropped]) + 1
        dropped += 1
    note = [f"[{dropped} earlier entries left out]"] if dropped else []
    return "\n".join([*note, *lines[dropped:]]) or "[nothing was recorded]"


def _shortened(line: str) -> str:
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}… ({len(line)} characters)"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
