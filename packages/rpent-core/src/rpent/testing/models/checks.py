"""What every provider refuses in a conversation, whatever the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent.testing.models.request import Request


def conversation_problem(request: Request) -> str | None:
    """Return what is wrong with a request's conversation, or None.

    Every tool call is answered once, before the model speaks again, and nothing else is answered; the tools'
    schemas are objects; the last word is the user's.
    """
    if not request.turns:
        return "there is no message"
    if request.last.role != "user":
        return "the last message is the assistant's own"
    for name, schema in request.tools.items():
        if schema and schema.get("type", "object") != "object":
            return f"the schema of tool `{name}` is not an object's"
    return _unanswered(request)


def _unanswered(request: Request) -> str | None:
    open_calls: set[str] = set()
    for turn in request.turns:
        if turn.role == "assistant":
            if open_calls:
                return f"call `{min(open_calls)}` has no result before the next message of the assistant"
            open_calls = {call.id for call in turn.calls}
            if len(open_calls) != len(turn.calls):
                return "two calls have the same id"
            continue
        for result in turn.results:
            if result.call_id not in open_calls:
                return f"a result answers call `{result.call_id}`, which is not open"
            open_calls.remove(result.call_id)
    return f"call `{min(open_calls)}` has no result" if open_calls else None
