"""Small datasets for tests: episodes of known numbers, written in any format that RoboSmith writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.api import CameraColumn, Episode, VectorColumn
from rpent_robosmith.datasets.writing.api import Header
from rpent_robosmith.datasets.writing.lerobot import LerobotWriter
from rpent_robosmith.datasets.writing.robomimic import RobomimicWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

FPS = 20.0
HEIGHT, WIDTH = 32, 48


def toy_episodes(
    count: int = 12, *, seed: int = 0, pictures: bool = False, length: int = 30, scale: float = 0.3
) -> Iterator[Episode]:
    """Yield episodes of 3 action and 4 state numbers; the i-th has `length` + i steps, and every other succeeded.

    Args:
        count: How many.
        seed: Of their numbers.
        pictures: Whether they have a camera `front`, whose frame t of episode i is grey of the value (15 i + t) % 256.
        length: Steps of the first.
        scale: Standard deviation of the actions, which are clipped to [-1, 1].
    """
    random = np.random.default_rng(seed)
    for index in range(count):
        steps = length + index
        frames = [np.full((HEIGHT, WIDTH, 3), (15 * index + t) % 256, np.uint8) for t in range(steps)]
        yield Episode(
            index=index,
            name=str(index),
            actions=np.clip(random.normal(0, scale, (steps, 3)), -1, 1).astype(np.float32),
            state={"state": random.normal(size=(steps, 4)).astype(np.float32)},
            rewards=np.arange(steps) / steps,
            success=bool(index % 2),
            task="push it" if index < count / 2 else "pull it",
            pictures={"front": _later(frames)} if pictures else {},
        )


def _later(frames: list[NDArray[np.uint8]]) -> Any:
    return lambda: iter(frames)


def toy_header(*, lerobot: bool, pictures: bool = False) -> Header:
    """Return what `toy_episodes` have in common."""
    state, camera = ("observation.state", "observation.images.front") if lerobot else ("state", "front")
    return Header(
        fps=FPS,
        action=VectorColumn(shape=(3,), dtype="float32", names=("x", "y", "z")),
        low=(-1.0,) * 3,
        high=(1.0,) * 3,
        state={state: VectorColumn(shape=(4,), dtype="float32")},
        cameras={camera: CameraColumn(height=HEIGHT, width=WIDTH)} if pictures else {},
        environment="Toy-v0",
        robot="toy",
    )


def write_toy(path: Path, episodes: Iterable[Episode]) -> Path:
    """Write toy episodes: robomimic's HDF5 where the name ends in `.hdf5`, else a LeRobot v3.0 folder."""
    listed = list(episodes)
    lerobot, pictures = path.suffix != ".hdf5", bool(listed and listed[0].pictures)
    header = toy_header(lerobot=lerobot, pictures=pictures)
    state, cameras = next(iter(header.state)), tuple(header.cameras)
    with (LerobotWriter if lerobot else RobomimicWriter)(path, header) as writer:
        for each in listed:
            writer.add(
                Episode(
                    index=each.index,
                    name=each.name,
                    actions=each.actions,
                    state={state: each.state["state"]},
                    rewards=each.rewards,
                    success=each.success,
                    task=each.task,
                    pictures=dict(zip(cameras, each.pictures.values(), strict=True)),
                )
            )
    return path
