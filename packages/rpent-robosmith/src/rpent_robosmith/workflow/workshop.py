"""What a stage has at hand besides the state: the run directory, the worker, the agents, somebody to tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.agents.api import DecisionAgent, IntakeAgent, RewardAgent
    from rpent_robosmith.work.api import Bench
    from rpent_robosmith.workflow.state import RunState


class Listener(Protocol):
    """Told what happens; the command line shows it."""

    def say(self, line: str) -> None:
        """One line for people."""

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        """How far something is; called often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Workshop:
    """Handed to every stage."""

    folder: Path
    """The run directory."""
    bench: Bench
    """Runs jobs in worker processes."""
    intake: IntakeAgent
    rewards: RewardAgent
    decisions: DecisionAgent
    listener: Listener
    deadline: Callable[[], float | None]
    """Seconds left of the run's wall-clock budget; None without one."""


class Stage(Protocol):
    """A plain function from state to state."""

    def __call__(self, state: RunState, workshop: Workshop) -> RunState:
        """Do the stage's part.

        Raises:
            RpentError: It cannot be done; the run fails, and a resume tries it again.
        """
