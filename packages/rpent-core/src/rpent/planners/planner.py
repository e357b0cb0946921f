"""What a planner is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rpent.session.session import Session


class Planner(Protocol):
    """An agent runtime over one session.

    `run` works until a reply says `ended`, `session.begin_turn()` raises `SessionEndedError` (which it may
    let pass), or `session.cancel` is set. All rules (validation, budgets, cancellation, the record) are the
    session's.
    """

    def __init__(self, config: Any) -> None:
        """Take a validated config model; raise `UsageError` for what cannot work (a missing key)."""

    def run(self, session: Session) -> None:
        """Work on the session's task. Called once, on a thread of its own."""
