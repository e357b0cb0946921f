"""A call on its way through a session: what is asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.errors import RpentError
    from rpent.runs import events as ev
    from rpent.runs.pictures import Picture
    from rpent.tools.result import Image


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """What is called, and by whom."""

    name: str
    arguments: Any
    call_id: str
    origin: ev.Origin = "planner"


@dataclass(slots=True)
class Done:
    """What came of a call, on its way to events and reply."""

    ok: bool
    data: dict[str, Any]
    images: Sequence[Image] = ()
    pictures: list[Picture] = field(default_factory=list)
    views: list[Picture] = field(default_factory=list)
    depth: list[str] = field(default_factory=list)
    step: int | None = None
    executed: bool = True
    cancelled: bool = False
    undone: bool = False
    """The world was put back to the state before the call."""


def failed(error: RpentError, *, executed: bool = True, cancelled: bool = False) -> Done:
    """Return what comes of a call that an error ended.

    Args:
        error: What the planner is told.
        executed: Whether anything happened.
        cancelled: Whether somebody stopped it.
    """
    data: dict[str, Any] = {"error": error.message}
    if error.hint:
        data["hint"] = error.hint
    return Done(ok=False, data=data, executed=executed, cancelled=cancelled)
