"""What a training job is told, and what it answers: the same records on both sides of the pipe."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from pydantic import Field

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data
from rpent_robosmith.reports import CurvePoint
from rpent_robosmith.task import Criterion

FIRST_SELECTION_SEED = 500_000
"""Environments are seeded below it while training and from here while choosing; evaluations begin at 1 000 000."""


class Selection(Data):
    """How policies are compared during a training: the same seeded episodes after each segment."""

    first_seed: int = FIRST_SELECTION_SEED
    episodes: int = Field(10, ge=1)
    criteria: tuple[Criterion, ...] = ()
    """Of the task, safety limits among them: a training that shows them all may end early."""
    solved_after: int = Field(2, ge=1)
    """So many evaluations one after the other in which all criteria hold, and every episode succeeds, end it."""
    patience: int | None = Field(None, ge=1)
    """So many without anything better end it too; None goes on to the last step."""
    least_fraction: float = Field(0.4, ge=0, le=1)
    """Of the steps, before patience counts."""


class TrainingOrder(Data):
    """One training, as plain data."""

    entry: EnvEntry
    algorithm: str
    trainer: str
    """Name of a trainer plugin."""
    seed: int
    total_steps: int = Field(ge=1)
    n_envs: int = Field(1, ge=1, le=64)
    normalize_observations: bool = False
    normalize_rewards: bool = False
    hyperparameters: dict[str, Any] = {}
    segment_steps: int = Field(5_000, ge=1)
    reward: str | None = None
    """Code of a reward function; None trains on the environment's own."""
    selection: Selection | None = Selection()
    """None compares nothing, and the last policy is the result."""
    seconds: float | None = None
    """Wall clock that is left for it."""
    checkpoints: str | None = None
    """Folder with the checkpoint to go on from."""
    keep_checkpoints: bool = True
    dataset: str | None = None
    """As the user wrote it."""
    dataset_path: str | None = None
    """Where it is: a worker has a folder of its own."""

    @property
    def fingerprint(self) -> str:
        """The same for orders that lead to the same training, however often it is interrupted."""
        told = self.model_dump_json(exclude={"checkpoints", "dataset_path", "keep_checkpoints", "seconds"})
        return hashlib.sha256(told.encode()).hexdigest()


class Standing(Data):
    """What a training knows of its policies so far; part of its checkpoint."""

    curve: tuple[CurvePoint, ...] = ()
    best: tuple[bool, float, float] | None = None
    """Whether all criteria hold, success rate, progress where higher is better."""
    best_steps: int | None = None
    stale: int = 0
    """Evaluations since the best."""
    solved: int = 0
    """Evaluations in a row that showed everything."""
    reward_calls: int = 0
    reward_errors: int = 0


class TrainingResult(Data):
    """How a training ended; its policy is beside it."""

    status: Literal["finished", "early_stopped", "time_limit", "failed"]
    detail: str = ""
    steps: int
    standing: Standing
    versions: dict[str, str] = {}
