"""Stable-Baselines3: PPO, SAC, TD3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stable_baselines3 import PPO, SAC, TD3

from rpent_robosmith.worker.api import Trainer
from rpent_robosmith.worker.trainers import segments
from rpent_robosmith.worker.trainers.building import build

if TYPE_CHECKING:
    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask

ALGORITHMS = {"ppo": (PPO, ("box", "discrete")), "sac": (SAC, ("box",)), "td3": (TD3, ("box",))}


class Sb3Trainer(Trainer):
    """Trains with Stable-Baselines3."""

    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        """Train until the steps are done or a callback says stop; returns the steps executed.

        Raises:
            UsageError: A hyperparameter is not accepted, or the algorithm does not fit the environment.
            TrainingError: The networks diverged, or were never updated.
        """
        algorithm, kinds = ALGORITHMS[task.algorithm]
        model, progress = build(algorithm, task, kinds)
        return segments.run(model, task, callbacks, "sb3", progress)
