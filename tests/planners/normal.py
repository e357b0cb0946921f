"""Events without what may differ: ids, times, pictures, and where in a turn messages are taken and usage is reported.

A turn that brought nothing is left out too: a planner that asks the model itself begins it with the request, one
whose SDK asks begins it with the reply, and the reply never came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rpent.runs.events import Event

LEFT_OUT = {
    "run_started",
    "stage",
    "service",
    "prompts",
    "step",
    "tool_progress",
    "usage",
    "messages_delivered",
    "notice",
    "run_ended",
}


def normalised(events: Sequence[Event]) -> list[tuple[Any, ...]]:
    """Return what happened in a session, as tuples that can be written down."""
    found = [_normal(event) for event in events if event.type not in LEFT_OUT]
    return [
        event
        for event, after in zip(found, [*found[1:], ("nothing",)], strict=True)
        if not (event[0] == "turn" and after[0] == "ended")
    ]


def _normal(event: Any) -> tuple[Any, ...]:  # noqa: PLR0911  (one answer a type)
    match event.type:
        case "turn":
            return ("turn", event.turn)
        case "text" | "thinking":
            return (event.type, event.turn, event.text)
        case "tool_called":
            return ("called", event.turn, event.name, event.arguments)
        case "tool_returned":
            return ("returned", event.name, _how(event), event.data.get("error"))
        case "user_message":
            return ("user", event.origin, event.text if event.origin == "user" else None, event.interrupt)
        case "recovered":
            return ("recovered", event.service, event.step)
        case "session_ended":
            return ("ended", event.reason, event.planner_status)
        case other:
            return (other,)


def _how(event: Any) -> str:
    """Say how a call went."""
    if event.cancelled:
        return "cancelled"
    return "ok" if event.ok else "failed" if event.executed else "refused"
