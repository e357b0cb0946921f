"""What a planner gets back from a tool call."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent.runs.pictures import Picture


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolReply:
    """The answer to one call. A mistake of the planner is a reply too, never an exception."""

    ok: bool
    """Whether the call was carried out. What the tool achieved is in `data`."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The tool's own data; after an action also `step`, `observation`; `error`, `hint` when not `ok`."""
    images: Sequence[Picture] = ()
    """Encoded pictures with captions, at most 400 kB together."""
    text: str = "{}"
    """`data` as valid JSON of bounded length: what a language model reads."""
    undone: bool = False
    """A service died under the call and the world was put back to the state before it: the same call may be made
    again."""
    cancelled: bool = False
    """Somebody stopped it on its way: the user, or the end of the session."""
    executed: bool = True
    """False: refused before anything happened (bad arguments, unknown tool, episode over, session over)."""
    ended: bool = False
    """The session is over; the planner returns."""
    call_id: str = ""


def not_made(name: str, call_id: str = "") -> ToolReply:
    """Return the answer to a call that the session never gets: the user interrupted before its turn came."""
    error = f"`{name}` was not executed: the user interrupted."
    text = json.dumps({"error": error})
    return ToolReply(ok=False, data={"error": error}, text=text, executed=False, call_id=call_id)
