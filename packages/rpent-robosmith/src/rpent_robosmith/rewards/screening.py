"""How a reward candidate is tried: a short training, then seeded episodes under the task's own success measure."""

from __future__ import annotations

from typing import Any

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data

FIRST_SEED = 500_000
"""Of the episodes: where those that compare policies begin, far from those of evaluations."""
EPISODES = 8
ON_POLICY = frozenset({"ppo"})
"""Algorithms with cheap steps, of which a short training needs more."""
MAX_STEPS = {True: 10_000, False: 2_000}
MIN_STEPS = {True: 4_096, False: 1_000}
_SHARE = 5


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
