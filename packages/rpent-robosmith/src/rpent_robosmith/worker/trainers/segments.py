"""A training with Stable-Baselines3 as a chain of segments, each beginning with nothing but what was saved before it.

A segment starts with environments that are reset and generators that are seeded from (seed, segment); what else it
starts with is in `state.py`. So one that goes on from a checkpoint is bit for bit one that never stopped.
"""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from rpent_robosmith.worker.api import TrainingError
from rpent_robosmith.worker.trainers.extraction import extract
from rpent_robosmith.worker.trainers.state import ModelState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stable_baselines3.common.base_class import BaseAlgorithm

    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask
    from rpent_robosmith.worker.trainers.building import Progress

PROGRESS_S = 1.0
SEED_RANGE = 500_000
"""Environments are seeded below this while training; what chooses and judges policies is seeded above."""


def run(
    model: BaseAlgorithm, task: TrainingTask, callbacks: TrainingCallbacks, trainer: str, progress: Progress
) -> int:
    """Train a model until its steps are done or a callback says stop.

    Returns:
        The steps executed.

    Raises:
        TrainingError: The networks diverged, or were never updated.
    """
    state = ModelState(model)
    segment = 0 if task.resume is None else state.restore(task.resume)
    listener = _Listener(callbacks, progress, task.total_steps)
    while model.num_timesteps < task.total_steps:
        segment += 1
        begin(model, task.seed, segment)
        _learn(model, min(model.num_timesteps + task.segment_steps, task.total_steps), listener)
        policy = extract(model, task, trainer)
        go_on = callbacks.segment_done(model.num_timesteps, policy, partial(state.save, segment))
        if not go_on or listener.stopped:
            break
    if not updates(model):
        raise TrainingError(
            f"The training of {model.num_timesteps} steps ended before the first update of the networks.",
            hint="Give it more steps (`--total-steps`), or a smaller `n_steps` or `learning_starts`.",
        )
    return int(model.num_timesteps)


def begin(model: BaseAlgorithm, seed: int, segment: int) -> None:
    """Reset and seed all that a segment starts with."""
    numbers = np.random.SeedSequence([seed, segment]).generate_state(4)
    random.seed(int(numbers[0]))
    np.random.seed(int(numbers[0]))  # the library draws from it
    torch.manual_seed(int(numbers[1]))
    model.action_space.seed(int(numbers[2]))
    env = model.get_env()
    assert env is not None
    env.seed(int(numbers[3]) % (SEED_RANGE - env.num_envs))
    model._last_obs = None  # `learn` resets the environments


def updates(model: BaseAlgorithm) -> int:
    """Return how many times the networks were updated."""
    return int(getattr(model, "_n_updates", 0))


def losses(model: BaseAlgorithm) -> Mapping[str, float]:
    """Return the newest numbers that the library recorded of its updates."""
    values = model.logger.name_to_value
    return {
        name.removeprefix("train/"): float(value)
        for name, value in values.items()
        if name.startswith("train/") and isinstance(value, int | float | np.number)
    }


def _learn(model: BaseAlgorithm, until: int, listener: _Listener) -> None:
    arguments: dict[str, Any] = {"log_interval": None, "reset_num_timesteps": False, "callback": listener}
    try:
        model.learn(until - model.num_timesteps, **arguments)
    except Exception as error:  # what networks full of NaN lead to is told by whoever meets it first
        if _finite(model):
            raise
        raise _diverged(model) from error
    if not _finite(model):
        raise _diverged(model)


def _finite(model: BaseAlgorithm) -> bool:
    return all(bool(torch.isfinite(value).all()) for value in model.policy.parameters())


def _diverged(model: BaseAlgorithm) -> TrainingError:
    return TrainingError(
        f"The training diverged after {model.num_timesteps} steps: the networks hold numbers that are not finite.",
        hint="A smaller `learning_rate` or a reward of smaller size may help.",
    )


class _Listener(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Tells the steps about once a second, and ends the training where its owner wants that."""

    def __init__(self, callbacks: TrainingCallbacks, progress: Progress, total: int) -> None:
        super().__init__()
        self._callbacks, self._progress, self._total = callbacks, progress, total
        self._due = time.monotonic() + PROGRESS_S
        self.stopped = False

    def _on_step(self) -> bool:
        self._progress.done = self.num_timesteps / self._total
        now = time.monotonic()
        if now >= self._due:
            self._due = now + PROGRESS_S
            self._callbacks.progress(self.num_timesteps, **losses(self.model))
            self.stopped = self._callbacks.stopping()
        return not self.stopped
