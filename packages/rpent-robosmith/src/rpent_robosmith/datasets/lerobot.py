"""LeRobot datasets, v2.0, v2.1 and v3.0: parquet for numbers, video or pictures for cameras.

Layout: https://huggingface.co/docs/lerobot/lerobot-dataset-v3. Nothing here imports LeRobot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_robosmith.datasets.api import DatasetReader, DeclaredBounds, Episode
from rpent_robosmith.datasets.faults import DatasetError, damaged
from rpent_robosmith.datasets.lerobot_columns import Columns, columns_of
from rpent_robosmith.datasets.lerobot_layout import Place, read_info, read_places, read_tasks
from rpent_robosmith.datasets.lerobot_tables import rows_of_episodes
from rpent_robosmith.datasets.pictures import embedded_pictures, video_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

SUCCESS_FIELD = "next.success"
_NO_SUCCESS = (
    "Success is unknown: the dataset has no `next.success`; the end of an episode (`next.done`) says nothing."
)


class LerobotReader(DatasetReader):
    """Episodes of a LeRobot folder, over all of its files."""

    def __init__(self, path: Path) -> None:
        """Read what `meta/` says.

        Raises:
            DatasetError: `meta/` is damaged, or of a version that is not read.
        """
        self.path = path
        info = read_info(path)
        self.format = f"lerobot-{info.version}"
        self.fps, self.robot = info.fps, info.robot
        self._columns: Columns = columns_of(info, path)
        self._tasks: Mapping[int, str] = read_tasks(path, info)
        self._places: list[Place] = read_places(path, info, tuple(self._columns.videos))
        self.total_episodes = len(self._places)
        self.total_frames = sum(place.length for place in self._places)
        self.action, self.state = self._columns.action, self._columns.state
        self.action_names = self.action.names
        self.cameras = self._columns.cameras
        self.tasks = tuple(self._tasks.values())
        self.environment = info.environment
        self.success_source = SUCCESS_FIELD if self._columns.has_success else None
        self.notes = self._notes(info.total_episodes)
        if len(info.low) == len(info.high) == int(np.prod(self.action.shape)):
            self.action_bounds = DeclaredBounds(low=info.low, high=info.high, source="`meta/info.json`")

    def _notes(self, declared: int | None) -> tuple[str, ...]:
        notes: tuple[str, ...] = () if self.success_source else (_NO_SUCCESS,)
        if declared is not None and declared != self.total_episodes:
            notes += (
                f"`meta/info.json` says {declared} episodes, `meta/episodes` lists {self.total_episodes}.",
            )
        return notes

    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        """Yield episodes in the order of `episode_index`; files that hold none of them are not opened."""
        end = None if count is None else first + count
        wanted = self._places[first:end]
        by_file: dict[Path, list[Place]] = {}
        for place in wanted:
            by_file.setdefault(place.file, []).append(place)
        for file, places in by_file.items():
            pending = {place.index: place for place in places}
            for index, arrays in rows_of_episodes(file, self._columns.stored, set(pending)):
                yield self._episode(pending.pop(index), arrays)
            if pending:
                raise damaged(file, f"it lacks the episode {min(pending)}, which `meta/` says it holds")

    def _episode(self, place: Place, arrays: Mapping[str, NDArray[np.generic]]) -> Episode:
        columns = self._columns
        length = len(next(iter(arrays.values())))
        if length != place.length:
            raise damaged(
                place.file,
                f"the episode {place.index} has {length} rows, and `meta/` says {place.length}",
            )
        task = arrays.get("task_index")
        number = None if task is None or not length else int(np.asarray(task, np.float64).flat[0])
        seconds = arrays.get("timestamp")
        reward = arrays.get("next.reward")
        return Episode(
            index=place.index,
            name=f"episode_{place.index:06d}",
            actions=columns.vector("action", columns.action_parts, arrays, place.file),
            state={
                key: columns.vector(key, parts, arrays, place.file)
                for key, parts in columns.state_parts.items()
            },
            rewards=None if reward is None else np.asarray(reward, np.float64).reshape(-1),
            success=bool(np.any(arrays[SUCCESS_FIELD])) if SUCCESS_FIELD in arrays else None,
            task=(self._tasks.get(number) if number is not None else None) or place.task,
            timestamps=None if seconds is None else np.asarray(seconds, np.float64).reshape(-1),
            pictures=self._pictures(place),
        )

    def _pictures(self, place: Place) -> dict[str, Callable[[], Iterator[NDArray[np.uint8]]]]:
        found: dict[str, Callable[[], Iterator[NDArray[np.uint8]]]] = {}
        for key, camera in self._columns.cameras.items():
            if camera.encoding == "image":
                found[key] = _later(embedded_pictures, place.file, key, place.index, self.path)
            elif (video := place.videos.get(key)) is not None:
                found[key] = _later(video_frames, video.file, video.from_s, place.length, self.fps)
        return found


def _later(
    decode: Callable[..., Iterator[NDArray[np.uint8]]], *arguments: object
) -> Callable[[], Iterator[NDArray[np.uint8]]]:
    return lambda: decode(*arguments)


__all__ = ["SUCCESS_FIELD", "DatasetError", "LerobotReader"]
