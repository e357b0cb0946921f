"""What a planner is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rpent.session.limits import Limits
    from rpent.session.session import Session


class Planner(Protocol):
    """An agent runtime over one session.

    `run` works until a reply says `ended`, `session.begin_turn()` raises `SessionEndedError` (which it may
    let pass), or `session.cancel` is set. All rules (validation, budgets, cancellation, the record) are the
    session's. A fault of the model's provider is a `ModelError` that it raises.
    """

    def __init__(self, config: Any) -> None:
        """Take a validated config model; raise `UsageError` for values that cannot go together."""

    def run(self, session: Session) -> None:
        """Work on the session's task. Called once, on a thread of its own."""


class CheckingPlanner(Planner, Protocol):
    """A planner that can tell beforehand whether it will work; `check` is optional."""

    def check(self, limits: Limits) -> None:
        """Look for the SDK, the key, the model server, the model and, for a cost limit, its price.

        Called before the run directory and before any service; raises `ModelError`.
        """
