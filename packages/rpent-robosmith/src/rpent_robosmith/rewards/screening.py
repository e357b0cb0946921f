"""How a reward candidate is tried: a short training, then seeded episodes under the task's own success measure.

The training is in a sealed worker, beside the candidate's code; the episodes are in a clean one that has only the
policy's numbers. So a candidate can forge what is counted of itself, and never its score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, model_validator
from rpent.printable import printable

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data
from rpent_robosmith.rewards.contract import MAX_COMPONENT_NAME, MAX_COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_SEED = 500_000
"""Of the episodes: where those that compare policies begin, far from those of evaluations."""
EPISODES = 8
ON_POLICY = frozenset({"ppo"})
"""Algorithms with cheap steps, of which a short training needs more."""
MAX_STEPS = {True: 10_000, False: 3_000}
MIN_STEPS = {True: 4_096, False: 1_000}
_SHARE = 5
_BATCH = 64
"""Of replayed steps in a trial: more than half of its time would go into larger ones."""


_Count = Annotated[int, Field(ge=0, le=2**53)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Name = Annotated[str, Field(max_length=MAX_COMPONENT_NAME)]
_Message = Annotated[str, Field(max_length=500)]


class Screening(Data):
    """One trial's training, as plain data for the worker."""

    entry: EnvEntry
    code: str
    """The candidate's."""
    algorithm: str
    trainer: str
    """Name of a trainer plugin."""
    seed: int
    """The same for all candidates, so that only the reward differs."""
    steps: int
    n_envs: int = 1
    normalize_observations: bool = False
    normalize_rewards: bool = False
    hyperparameters: dict[str, Any] = {}


class Screened(Data):
    """What a sealed worker counted; bounded, since the candidate's code may have forged it. Nobody is scored by it."""

    steps: _Count
    calls: _Count
    errors: _Count
    components: Annotated[dict[_Name, _Number], Field(max_length=MAX_COMPONENTS)] = {}
    messages: Annotated[dict[_Message, _Count], Field(max_length=MAX_COMPONENTS)] = {}

    @model_validator(mode="after")
    def _are_counts(self) -> Self:
        if self.errors > self.calls:
            raise ValueError("more errors than calls")
        return self

    def shown_components(self) -> dict[str, float]:
        """Return the components by names that are one printable line each."""
        return {" ".join(printable(name).split()): value for name, value in self.components.items()}


def screening_steps(algorithm: str, total_steps: int) -> int:
    """Return the steps of a trial: a fifth of a training, within bounds that cost seconds."""
    cheap = algorithm in ON_POLICY
    return min(max(total_steps // _SHARE, MIN_STEPS[cheap]), MAX_STEPS[cheap])


def cheaper(hyperparameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return hyperparameters for a trial: the training's own, with smaller batches where it replays its steps."""
    replays = "buffer_size" in hyperparameters
    batch = hyperparameters.get("batch_size", 256)
    return {**hyperparameters, "batch_size": min(batch, _BATCH)} if replays else dict(hyperparameters)
