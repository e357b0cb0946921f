"""The part of a running episode that does not depend on the robot: counted steps, the latched success, the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_manipulation.env.executed import Executed
from rpent_manipulation.env.guardrails import EpisodeOverError

if TYPE_CHECKING:
    from collections.abc import Callable


class RunningEpisode:
    """Counts control steps until the benchmark sees the task solved or the limit is reached.

    Args:
        max_steps: Control steps until the episode is truncated.
        action_dim: Length of an action.
    """

    def __init__(self, *, max_steps: int, action_dim: int) -> None:
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
