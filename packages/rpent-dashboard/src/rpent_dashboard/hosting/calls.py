"""Tools that a person calls while the planner waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.errors import ToolError
from rpent.runs.files import plain
from rpent.session import finish
from rpent.session.user_calls import RobotHeldError
from rpent.session.validation import checked_arguments, parse_arguments
from rpent.suggest import did_you_mean, listing

from rpent_dashboard.hosting.errors import ConflictError, FieldError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rpent.session.session import Session
    from rpent.tools.tool import Tool

    from rpent_dashboard.hosting.performing import Performance

MANUAL = "manual"


def offered(performance: Performance | None, primitives: Collection[str]) -> list[dict[str, Any]]:
    """Describe the tools that a person may call; none where no planner's session goes on."""
    if performance is None or performance.steerer.session is None:
        return []
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "schema": dict(tool.schema),
            "readonly": tool.readonly,
            "primitive": tool.name in primitives,
        }
        for tool in _allowed(performance, performance.steerer.session, primitives)
    ]


def call(
    performance: Performance | None,
    primitives: Collection[str],
    name: str,
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Carry out a call and wait for its end.

    Raises:
        ConflictError: There is no conversation, or a planner holds the robot.
        NotFoundError: The robot's allow-list has no such tool.
        FieldError: The session's validation refuses the arguments; nothing was executed.
    """
    session = performance.steerer.session if performance is not None else None
    if performance is None or session is None or session.ended is not None:
        raise ConflictError("No task runs whose robot could be moved.")
    tools = {tool.name: tool for tool in _allowed(performance, session, primitives)}
    if name not in tools:
        raise NotFoundError(
            f"`{name[:60]}` is not among the tools that a person may call{did_you_mean(name, tools)}",
            hint=f"Allowed: {listing(tools)}.",
        )
    if not session.awaiting:
        raise _held()
    _validate(tools[name], arguments)
    try:
        reply = session.user_call(name, dict(arguments))
    except RobotHeldError as error:
        raise _held() from error
    done = {"ok": reply.ok, "executed": reply.executed, "cancelled": reply.cancelled}
    return {**done, "data": encodable(plain(reply.data)), "call_id": reply.call_id}


def _allowed(performance: Performance, session: Session, primitives: Collection[str]) -> list[Tool]:
    """Return the allow-list and `finish`; whoever plans by hand has every tool."""
    if performance.task.planner == MANUAL:
        return list(session.tools)
    return [tool for tool in session.tools if tool.name in primitives or tool.name == finish.NAME]


def _held() -> ConflictError:
    return ConflictError(
        "The planner holds the robot.", hint="Interrupt it first; it then waits until you write to it."
    )


def _validate(tool: Tool, arguments: Mapping[str, Any]) -> None:
    try:
        checked_arguments(tool, parse_arguments(arguments))
    except ToolError as error:
        raise FieldError(error.message, hint=error.hint, field=error.argument) from error
