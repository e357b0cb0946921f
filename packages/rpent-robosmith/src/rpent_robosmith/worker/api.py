"""What authors of env adapters and trainers implement. Imported in worker processes only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import gymnasium
    import numpy as np
    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.policy.format import PolicyParameters


class TrainingError(RpentError):
    """A training came to nothing: it diverged, or nothing was ever learned from."""


class JobContext(Protocol):
    """How a job speaks with its owner."""

    def tell(self, kind: str, /, **data: Any) -> None:
        """Send a message: plain data and numeric arrays."""

    def seal(self, *, readable: Sequence[str] = (), threads: bool = False) -> None:
        """Give up what the process does not need any more: writing files, network, other processes, foreign files.

        Whatever a library does of that at its first use must be done before: pictures are not rendered by a graphics
        card any more, and Stable-Baselines3 needs a logger without a folder (`set_logger(Logger(None, []))`).

        Args:
            readable: Folders that may still be read besides Python's own (assets that are loaded later).
            threads: Whether threads may still be started. Without, whatever wants them afterwards fails.
        """

    def stopping(self) -> bool:
        """Whether the owner asked to end early with what there is."""


class EnvAdapter(ABC):
    """Makes environments of one framework."""

    @abstractmethod
    def make(self, entry: EnvEntry, *, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
        """Return a `gymnasium.Env`: Box, Discrete or Dict-of-Box observations, Box or Discrete actions.

        `reset(seed=...)` reaches the simulator: the same seed gives the same episode for the same actions. The time
        limit is `entry.max_episode_steps` where given. `entry.kwargs` are passed on or refused.

        Raises:
            UsageError: The entry cannot be made.
        """

    def numbers(self, env: gymnasium.Env[Any, Any]) -> Mapping[str, Sequence[str]]:  # noqa: ARG002 (most know none)
        """Return what the numbers of the spaces are, where only the framework knows.

        Returns:
            `action`, and `observation` or the keys of a Dict observation, to one `name [unit]` a number.
        """
        return {}

    def close(self) -> None:  # noqa: B027 (most have nothing to do)
        """Release what environments share."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingTask:
    """One training, as a trainer gets it."""

    algorithm: str
    entry: EnvEntry
    make_env: Callable[[int], gymnasium.Env[Any, Any]]
    """`make_env(i)` returns the i-th training environment with the candidate's reward in place."""
    seed: int
    total_steps: int
    n_envs: int = 1
    normalize_observations: bool = False
    normalize_rewards: bool = False
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    segment_steps: int = 5_000
    """A training is a chain of segments. Each starts with environments reset and generators seeded from (seed,
    segment), so that going on from a segment's checkpoint is bit for bit the same as never having stopped."""
    resume: Mapping[str, Any] | None = None
    """What `save` gave at the end of the last finished segment, `appended` with the rows of all segments."""
    dataset: str | None = None


class TrainingCallbacks(Protocol):
    """What a trainer tells while it trains."""

    def progress(self, steps: int, **numbers: float) -> None:
        """Called every second or so."""

    def stopping(self) -> bool:
        """Whether to end now, in the middle of a segment; asked every second or so. `segment_done` is called still."""

    def segment_done(
        self, steps: int, policy: PolicyParameters, save: Callable[[], Mapping[str, Any]]
    ) -> bool:
        """Called at the end of each segment: the policy is evaluated and checkpointed. Returns whether to go on.

        Args:
            steps: Environment steps so far, executed ones.
            policy: As it is now.
            save: Returns everything that going on needs, as plain data and numeric arrays: weights, optimisers, replay
                buffer, normalisation, counters. Called where a checkpoint is written. What only grows goes under
                `appended` (name → array), with just the rows since the last call: all are kept (the last `keep_rows`
                of them, where that is given) and come back in `task.resume` in one piece.
        """


class Trainer(ABC):
    """Trains policies of some algorithms."""

    @abstractmethod
    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        """Train until the steps are done or a callback says stop; returns the steps executed.

        Raises:
            UsageError: A hyperparameter is unknown, or the algorithm does not fit the environment.
        """


class PolicyFunction(Protocol):
    """A policy in an episode."""

    def reset(self, seed: int) -> None:
        """Begin an episode."""

    def act(self, observation: Any) -> NDArray[np.generic] | int:
        """Return an action for the environment, deterministic."""
