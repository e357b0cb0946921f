"""What the training process is told, and what it says: JSON lines on its standard output."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)

from pydantic import BaseModel, ConfigDict

from rpent_policy_bc.checkpoint import Description  # noqa: TC001  (pydantic reads the annotation)


class TrainingJob(BaseModel):
    """One training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    out: Path
    """The checkpoint's folder."""
    description: Description
    """Of the checkpoint; facts of the training are added."""
    files: tuple[Path, ...]
    """Frames to learn from."""
    held_out: tuple[Path, ...] = ()
    """Frames of demonstrations that are not learned from; how well they are foretold is reported."""
    epochs: int = 60
    minutes: float | None = None
    """Stop after this time, whatever the epochs."""
    batch: int = 64
    learning_rate: float = 1e-3
    shift: int = 0
    """Pixels by which pictures are moved at most."""
    seed: int = 0


class Progress(BaseModel):
    """One line of the training process: after an epoch."""

    epoch: int
    epochs: int
    loss: float
    held_out_loss: float | None = None
    elapsed_s: float
