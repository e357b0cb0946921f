"""Messages to Claude Code: texts and pictures, a shortened record, and what is said after an interruption."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rpent.planners.parts import INTERRUPTED, history_lines

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from rpent.planners.parts import Part
    from rpent.session.session import Session


def as_prompt(parts: Sequence[Part]) -> AsyncIterator[dict[str, Any]]:
    """Return texts and pictures as one message of the user's."""

    async def messages() -> AsyncIterator[dict[str, Any]]:
        content = [_block(part) for part in parts]
        yield {
            "type": "user",
            "message": {"role": "user", "content": content},
            "parent_tool_use_id": None,
        }

    return messages()


def continuation(messages: Sequence[str]) -> str:
    """Return what the model hears after an interrupt: the user's words, or that it may go on."""
    return "\n\n".join(messages) or f"{INTERRUPTED} Go on with the next tool call."


def shortened(session: Session, max_chars: int) -> list[Part]:
    """Return a new first message for a conversation that has become too long.

    Args:
        session: Its record holds the whole conversation, also of earlier processes.
        max_chars: Characters of the record that are kept: the newest.
    """
    entries = json.loads(session.recorder.directory.transcript.read_text(encoding="utf-8"))["entries"]
    kept: list[str] = []
    for line in reversed(history_lines(entries)):
        max_chars -= len(line) + 1
        if max_chars < 0:
            break
        kept.append(line)
    return [
        session.prompts.user,
        "The conversation became too long and begins anew here. The newest part of it, as it was recorded:",
        "\n".join(reversed(kept)) or "[nothing was recorded]",
        "Pictures are not shown again. Look before you act, and go on with the next tool call.",
    ]


def _block(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": part.media_type, "data": part.base64},
    }
