"""Somebody who accompanies a run: the terminal of `--interactive`, a dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rpent.robot import Prompts
    from rpent.runs.events import Event
    from rpent.session.session import Session


class Steering(Protocol):
    """What a run asks of whoever steers it; called from the run's threads.

    A run with a steering is interactive: a model that stops without `finish` waits for its user.
    """

    def offer(self, prompts: Prompts, *, resumed: bool) -> None:
        """Show the rendered task; the user may edit it while services start, where it is known before they do.

        The task of a resumed run has been agreed on; `first_message` returns it as it is.
        """

    def first_message(self) -> str | None:
        """Wait for the user's version of the task; None when they gave up."""

    def attach(self, session: Session) -> None:
        """Steer this session from now on: `send`, `interrupt`."""

    def on_event(self, event: Event) -> None:
        """Hear of everything that happens."""
