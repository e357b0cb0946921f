"""From frames on disk to what one training step takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_policy_bc.frames import Frames

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_policy_bc.checkpoint import Architecture


@dataclass(frozen=True, slots=True)
class Dataset:
    """All frames, in memory."""

    images: dict[str, NDArray[np.uint8]]
    """Camera → (N, H, W, 3)."""
    state: NDArray[np.float32]
    """(N, S)."""
    chunks: NDArray[np.float32]
    """(N, T, D) raw actions; switches are -1 or 1."""
    valid: NDArray[np.float32]
    """(N, T) 0 beyond the demonstration's end."""
    goals: NDArray[np.float32]
    """(N, 3) the state field `goal` where the first switch switches."""

    def __len__(self) -> int:
        return len(self.state)


def build(files: Sequence[Path], shape: Architecture) -> Dataset:
    """Read the frames of demonstrations; those without pictures are left out."""
    loaded = [frames for frames in map(Frames.load, files) if len(frames.at)]
    parts = [_chunks(frames, shape) for frames in loaded]
    return Dataset(
        images={name: np.concatenate([f.images[name] for f in loaded]) for name in shape.cameras},
        state=np.concatenate([_state(f, shape) for f in loaded]),
        chunks=np.concatenate([chunks for chunks, _ in parts]),
        valid=np.concatenate([valid for _, valid in parts]),
        goals=np.concatenate([_goals(f, shape) for f in loaded]),
    )


def latched(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn commands, where 0 leaves things as they are, into what is wanted at each step: -1 or 1.

    Before the first command the switch was the other way. What the robot does is the same, and the right answer
    no longer depends on how long ago the command was given.
    """
    given = np.flatnonzero(column)
    if not len(given):
        return np.full(len(column), -1.0)
    result = np.full(len(column), -np.sign(column[given[0]]))
    for step in given:
        result[step:] = np.sign(column[step])
    return result


def switched_at(actions: NDArray[np.float64], shape: Architecture) -> int:
    """Return the control step at which the first switch is used; the last step when none is."""
    start = 0
    for field, length in shape.action.items():
        if field in shape.switches:
            used = np.flatnonzero(actions[:, start : start + length].any(axis=1))
            return int(used[0]) if len(used) else len(actions) - 1
        start += length
    return len(actions) - 1


def _state(frames: Frames, shape: Architecture) -> NDArray[np.float32]:
    return np.concatenate([frames.state[field] for field in shape.state], axis=1).astype(np.float32)


def _chunks(frames: Frames, shape: Architecture) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    actions, start = frames.actions.copy(), 0
    for field, length in shape.action.items():
        if field in shape.switches:
            for column in range(start, start + length):
                actions[:, column] = latched(actions[:, column])
        start += length
    index = frames.at[:, None] + np.arange(shape.chunk_length)
    valid = index < len(actions)
    return (
        actions[np.minimum(index, len(actions) - 1)].astype(np.float32),
        valid.astype(np.float32),
    )


def _goals(frames: Frames, shape: Architecture) -> NDArray[np.float32]:
    if shape.goal is None or shape.goal not in frames.state:
        return np.zeros((len(frames.at), 3), np.float32)
    end = switched_at(frames.actions, shape)
    nearest = int(np.argmin(np.abs(frames.at - end)))
    return np.repeat(frames.state[shape.goal][nearest : nearest + 1, :3], len(frames.at), axis=0)
