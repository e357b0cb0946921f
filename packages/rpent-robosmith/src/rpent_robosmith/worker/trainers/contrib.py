"""Stable-Baselines3's contributed algorithms: TQC, CrossQ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sb3_contrib import TQC, CrossQ

from rpent_robosmith.worker.api import Trainer
from rpent_robosmith.worker.trainers import segments
from rpent_robosmith.worker.trainers.building import build

if TYPE_CHECKING:
    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask

ALGORITHMS = {"tqc": TQC, "crossq": CrossQ}


class ContribTrainer(Trainer):
    """Trains with sb3-contrib."""

    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        """Train until the steps are done or a callback says stop; returns the steps executed.

        Raises:
            UsageError: A hyperparameter is not accepted, or the algorithm does not fit the environment.
            TrainingError: The networks diverged, or were never updated.
        """
        model, progress = build(ALGORITHMS[task.algorithm], task, ("box",))
        return segments.run(model, task, callbacks, "sb3-contrib", progress)
