"""What the user does themselves while the planner waits for them, and how the planner hears of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.session.bounded import bounded_json

if TYPE_CHECKING:
    from rpent.session.reply import ToolReply

MAX_CHARACTERS = 4000
"""Of the state that the planner is told."""
MAX_ARGUMENTS = 300
MAX_LISTED = 20
"""Calls that are told one by one; of those before, only their number."""


class RobotHeldError(RpentError):
    """The planner holds the robot: the user may act only while it waits for them."""

    def __init__(self) -> None:
        super().__init__(
            "The planner holds the robot.", hint="Interrupt it first, or wait until it waits for you."
        )


@dataclass(eq=False, slots=True)
class UserCall:
    """A call of the user."""

    name: str
    arguments: Any
    reply: ToolReply | None = None
    """None while it is under way."""

    def line(self) -> str:
        """Return what was called and how it ended, as one line."""
        arguments = bounded_json(self.arguments if self.arguments is not None else {}, MAX_ARGUMENTS)
        return f"- `{self.name}` with {arguments}: {_outcome(self.reply)}"


class UserCalls:
    """The user's calls that the planner has not heard of."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._untold: list[UserCall] = []

    def add(self, call: UserCall) -> None:
        """Note a call that begins."""
        with self._lock:
            self._untold.append(call)

    def take(self) -> str:
        """Return what the planner is told of the calls since the last time; empty when there were none."""
        with self._lock:
            calls, self._untold = self._untold, []
        if not calls:
            return ""
        left_out = [f"- {len(calls) - MAX_LISTED} calls before these"] if len(calls) > MAX_LISTED else []
        listed = [call.line() for call in calls[-MAX_LISTED:]]
        return "\n".join(
            ["While you waited, the user called tools themselves:", *left_out, *listed, *_standing(calls)]
        )


def _outcome(reply: ToolReply | None) -> str:
    """Say in a few words how a call ended."""
    if reply is None:
        return "still under way"
    if not reply.ok:
        return str(reply.data.get("error", "it failed"))
    said = {key: value for key, value in reply.data.items() if key not in {"observation", "notices", "step"}}
    return f"done {bounded_json(said, MAX_ARGUMENTS)}" if said else "done"


def _standing(calls: list[UserCall]) -> list[str]:
    """Say how the world is, where the calls may have changed it."""
    seen = [
        call.reply.data["observation"] for call in calls if call.reply and "observation" in call.reply.data
    ]
    if not seen:
        return []
    state = bounded_json(seen[-1], MAX_CHARACTERS)
    return [f"What you saw before may no longer hold. The state after that: {state}"]
