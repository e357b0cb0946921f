"""The part of a running episode that does not depend on the robot: counted steps, the latched success, the end."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rpent_manipulation.env import guardrails
from rpent_manipulation.env.executed import Executed
from rpent_manipulation.env.guardrails import EpisodeOverError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_SEED = 2**31 - 1
MAX_STEPS = 2**31 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Counters:
    """What an episode counts, as a snapshot's header holds it."""

    seed: int
    steps: int
    success: bool
    max_steps: int

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> Counters:
        """Read them.

        Raises:
            KeyError: One is missing.
            GuardrailError: One is not what it can be.
        """
        if not isinstance(header["success"], bool):
            raise guardrails.GuardrailError("`success` must be true or false.")
        return cls(
            seed=guardrails.count(header["seed"], 0, MAX_SEED, "`seed`"),
            steps=guardrails.count(header["steps"], 0, MAX_STEPS, "`steps`"),
            success=header["success"],
            max_steps=guardrails.count(header["max_steps"], 1, MAX_STEPS, "`max_steps`"),
        )


class RunningEpisode:
    """Counts control steps until the benchmark sees the task solved or the limit is reached.

    Args:
        seed: What the episode's beginning was drawn from.
        max_steps: Control steps until the episode is truncated.
        action_dim: Length of an action.
    """

    def __init__(self, *, seed: int, max_steps: int, action_dim: int) -> None:
        self.seed = seed
        self.max_steps = max_steps
        self.steps = 0
        self.success = False
        """The benchmark's predicate, once it was true at the end of a control step."""
        self.executed = Executed(action_dim)
        """The actions since step 0, or since they were last fetched."""
        self.after_step: Callable[[], None] = lambda: None
        """Called after each control step (a recording)."""

    @property
    def truncated(self) -> bool:
        """Whether the step limit ended the episode."""
        return not self.success and self.steps >= self.max_steps

    @property
    def over(self) -> bool:
        """Whether no further action is accepted."""
        return self.success or self.steps >= self.max_steps

    def require_running(self) -> None:
        """Refuse an action after the end.

        Raises:
            EpisodeOverError: The episode is over.
        """
        if self.over:
            why = "the task succeeded" if self.success else f"the limit of {self.max_steps} steps is reached"
            raise EpisodeOverError(f"The episode is over: {why} at step {self.steps}.", hint="Call `reset`.")

    def standing(self) -> dict[str, Any]:
        """Return how the episode stands, as the part of an observation."""
        return {
            "step": self.steps,
            "success": self.success,
            "terminated": self.success,
            "truncated": self.truncated,
        }

    def counters(self) -> dict[str, Any]:
        """Return what the episode counts, for a snapshot's header."""
        return asdict(
            Counters(seed=self.seed, steps=self.steps, success=self.success, max_steps=self.max_steps)
        )

    def come_back(self, counters: Counters) -> None:
        """Count on from a snapshot; the actions that led elsewhere are forgotten."""
        self.seed, self.steps = counters.seed, counters.steps
        self.success, self.max_steps = counters.success, counters.max_steps
        self.executed.clear()
