"""How a reward candidate is tried: a short training, then seeded episodes under the task's own success measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data

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


class Screening(Data):
    """One trial, as plain data for the worker."""

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
    episodes: int = EPISODES
    first_seed: int = FIRST_SEED


class Screened(Data):
    """What the worker found, before it is scored on the owner's side."""

    episodes: tuple[dict[str, Any], ...]
    """`EpisodeRecord`s as plain data."""
    steps: int
    calls: int
    errors: int
    components: dict[str, float] = {}
    messages: dict[str, int] = {}


def screening_steps(algorithm: str, total_steps: int) -> int:
    """Return the steps of a trial: a fifth of a training, within bounds that cost seconds."""
    cheap = algorithm in ON_POLICY
    return min(max(total_steps // _SHARE, MIN_STEPS[cheap]), MAX_STEPS[cheap])


def cheaper(hyperparameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return hyperparameters for a trial: the training's own, with smaller batches where it replays its steps."""
    replays = "buffer_size" in hyperparameters
    batch = hyperparameters.get("batch_size", 256)
    return {**hyperparameters, "batch_size": min(batch, _BATCH)} if replays else dict(hyperparameters)
