"""How something is trained: the algorithm's usual settings, the environment's, and the user's, in this order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import TrainingDefaults
from rpent_robosmith.training.choice import usual
from rpent_robosmith.training.hyperparameters import ACCEPTED, validated
from rpent_robosmith.training.order import Selection, TrainingOrder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.task import TaskSpec
    from rpent_robosmith.training.choice import Choice

USUAL = {
    "ppo": TrainingDefaults(
        algorithm="ppo",
        total_steps=200_000,
        n_envs=8,
        normalize_observations=True,
        hyperparameters={
            "n_steps": 256,
            "batch_size": 256,
            "n_epochs": 10,
            "gae_lambda": 0.95,
            "gamma": 0.99,
            "learning_rate": 5e-4,
            "learning_rate_schedule": "linear",
        },
    ),
    "sac": TrainingDefaults(
        algorithm="sac",
        total_steps=50_000,
        hyperparameters={"learning_rate": 7e-4, "learning_starts": 500, "buffer_size": 200_000},
    ),
    "td3": TrainingDefaults(
        algorithm="td3",
        total_steps=50_000,
        hyperparameters={
            "learning_rate": 1e-3,
            "learning_starts": 1_000,
            "buffer_size": 200_000,
            "action_noise": 0.1,
            "net_arch": [256, 256],
        },
    ),
    "tqc": TrainingDefaults(
        algorithm="tqc",
        total_steps=50_000,
        hyperparameters={"learning_rate": 7e-4, "learning_starts": 500, "buffer_size": 200_000},
    ),
    "crossq": TrainingDefaults(
        algorithm="crossq",
        total_steps=30_000,
        hyperparameters={"learning_starts": 500, "buffer_size": 200_000, "critic_net_arch": [256, 256]},
    ),
    "act": TrainingDefaults(algorithm="act", total_steps=5_000),
    "bc": TrainingDefaults(algorithm="bc", total_steps=10_000),
}
"""Algorithm → what is used where the environment says nothing of it; steps of imitation are the optimiser's."""
_IMITATION = ("bc", "act")
_OFF_POLICY = ("sac", "td3", "tqc", "crossq")
_ON_POLICY_FACTOR = 5
"""PPO throws its experience away, and takes about so many times the steps (and has them about as much faster)."""
SETTINGS = {
    "n_envs": "environments side by side, 1 to 64",
    "normalize_observations": "true or false",
    "normalize_rewards": "true or false",
    "segment_steps": "steps between two comparisons of the policy, each with a checkpoint",
    "patience": "so many comparisons without anything better end the training",
}
"""What `--hyperparameter` takes for every algorithm."""
_SEGMENTS = 20
_LEAST_SEGMENT, _MOST_SEGMENT = 1_000, 25_000


def defaults_for(entry: EnvEntry, algorithm: str) -> TrainingDefaults:
    """Return the settings of a training before the user's: the environment's own, where it has some for it."""
    usual = USUAL.get(algorithm, TrainingDefaults(algorithm=algorithm, total_steps=100_000))
    own = entry.training
    if own is None or (algorithm in _IMITATION and own.algorithm != algorithm):
        return usual  # their steps are those of the optimiser, not of the environment
    if own.algorithm == algorithm:
        merged = {**usual.hyperparameters, **own.hyperparameters}
        return own.model_copy(update={"hyperparameters": merged})
    return usual.model_copy(update={"total_steps": _steps_of_another(own, algorithm)})


def order_for(
    task: TaskSpec,
    entry: EnvEntry,
    choice: Choice,
    *,
    reward: str | None = None,
    first: bool = True,
) -> TrainingOrder:
    """Return what a training job is told.

    Args:
        task: Seed, budget, criteria, hyperparameters, dataset.
        entry: The environment.
        choice: The algorithm.
        reward: Code of the candidate; None trains on the environment's own reward.
        first: Whether it is the algorithm that the task began with: the user's hyperparameters are for that one, and
            another one takes those that it knows.

    Raises:
        UsageError: A hyperparameter is unknown, or its value is not accepted.
    """
    defaults = defaults_for(entry, choice.name)
    settings, given = split_settings(task.hyperparameters)
    if not first:
        given = {name: value for name, value in given.items() if name in ACCEPTED.get(choice.name, {})}
    hyperparameters = validated(choice.name, {**defaults.hyperparameters, **given})
    total = task.budget.total_steps or defaults.total_steps
    criteria = (*task.criteria, *task.safety)
    return TrainingOrder(
        entry=entry,
        algorithm=choice.name,
        trainer=choice.trainer.name,
        seed=task.seed,
        total_steps=total,
        n_envs=settings.get("n_envs", defaults.n_envs),
        normalize_observations=settings.get("normalize_observations", defaults.normalize_observations),
        normalize_rewards=settings.get("normalize_rewards", defaults.normalize_rewards),
        hyperparameters=hyperparameters,
        segment_steps=settings.get("segment_steps", segment_steps(total)),
        reward=reward,
        selection=Selection(criteria=criteria, patience=settings.get("patience")),
        dataset=task.dataset,
    )


def check_training(task: TaskSpec, entry: EnvEntry) -> None:
    """Refuse hyperparameters that no training would take, before anything is made.

    Raises:
        UsageError: One is unknown or not accepted.
    """
    presumed = usual(task, entry)
    if presumed is not None:
        order_for(task, entry, presumed)


def segment_steps(total: int) -> int:
    """Return after how many steps the policy is compared and a checkpoint is written."""
    return min(max(total // _SEGMENTS, _LEAST_SEGMENT), _MOST_SEGMENT, total)


def split_settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (settings of every training, hyperparameters of the algorithm) of what the user gave.

    Raises:
        UsageError: A setting's value is not accepted.
    """
    settings = {name: value for name, value in given.items() if name in SETTINGS}
    for name, value in settings.items():
        truth = name.startswith("normalize_")
        if isinstance(value, bool) != truth or (not truth and (not isinstance(value, int) or value < 1)):
            accepted = "true or false" if truth else "a whole number of at least 1"
            raise UsageError(f"`{name}` must be {accepted}, not `{value}`.")
    if settings.get("n_envs", 1) > 64:
        raise UsageError(f"`n_envs` is at most 64, not {settings['n_envs']}.")
    return settings, {name: value for name, value in given.items() if name not in SETTINGS}


def _steps_of_another(own: TrainingDefaults, algorithm: str) -> int:
    was_off, is_off = own.algorithm in _OFF_POLICY, algorithm in _OFF_POLICY
    if was_off and algorithm == "ppo":
        return own.total_steps * _ON_POLICY_FACTOR
    if own.algorithm == "ppo" and is_off:
        return max(own.total_steps // _ON_POLICY_FACTOR, 10_000)
    return own.total_steps
