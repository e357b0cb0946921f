"""HDF5 in the layout of robomimic (`data/demo_N/{actions,obs,rewards}`), LIBERO's and robosuite's included.

Layout: https://robomimic.github.io/docs/datasets/overview.html. A folder of such files is one dataset.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.api import CameraColumn, DatasetReader, Episode, VectorColumn
from rpent_robosmith.datasets.faults import DatasetError, damaged, library
from rpent_robosmith.datasets.hdf5_metadata import FileMetadata, read_metadata
from rpent_robosmith.datasets.order import natural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

SUFFIXES = (".hdf5", ".h5")
_FRAMES_AT_ONCE = 16
_VECTOR_AXES = 3
"""Steps, and up to two axes of a vector or a small matrix."""


class Hdf5Reader(DatasetReader):
    """Episodes of one file, or of all files of a folder, in natural order of their names."""

    def __init__(self, path: Path) -> None:
        """Read the files' attributes and the names of their episodes.

        Raises:
            DatasetError: A file is damaged, or has another layout.
        """
        self._h5py = library("h5py", "h5py", "reading HDF5")
        files = sorted(files_of(path), key=lambda file: natural(file.name))
        if not files:
            raise DatasetError(f"`{path}` holds no HDF5 files.")
        self.path = path
        self._demos: list[tuple[Path, str]] = []
        self._metadata: dict[Path, FileMetadata] = {}
        frames = 0
        for file in files:
            with _reading(file), self._h5py.File(file, "r") as opened:
                frames += self._index(file, opened)
        if not self._demos:
            raise damaged(path, "its group `data` holds no episodes")
        self.total_episodes, self.total_frames = len(self._demos), frames
        self._describe()

    def _index(self, file: Path, opened: Any) -> int:
        data = opened.get("data")
        if not isinstance(data, self._h5py.Group):
            raise DatasetError(
                f"`{file}` has no group `data`, which the layout of robomimic and LIBERO has.",
                hint="`python -m h5py` shows what is in it; convert it to `data/demo_0/actions`, `data/demo_0/obs/…`.",
            )
        self._metadata[file] = read_metadata(data)
        frames = 0
        for name in sorted(data, key=natural):
            demo = data[name]
            if isinstance(demo, self._h5py.Group):
                if "actions" not in demo:
                    raise damaged(file, f"the episode `{name}` has no `actions`")
                self._demos.append((file, name))
                frames += demo["actions"].shape[0] if demo["actions"].shape else 0
        return frames

    def _describe(self) -> None:
        file, name = self._demos[0]
        metadata = self._metadata[file]
        with _reading(file), self._h5py.File(file, "r") as opened:
            demo = opened["data"][name]
            arrays = _observations(self._h5py, demo)
            self.state = {
                key: VectorColumn(shape=tuple(array.shape[1:]) or (1,), dtype=str(array.dtype))
                for key, array in arrays.items()
                if not _is_picture(array)
            }
            self.cameras = {key: _camera(array) for key, array in arrays.items() if _is_picture(array)}
            width = tuple(demo["actions"].shape[1:]) or (1,)
            self.action = VectorColumn(
                shape=width, dtype=str(demo["actions"].dtype), names=metadata.action_names
            )
            self.success_source = metadata.success_source(demo)
        self.action_names = metadata.action_names
        self.action_bounds = metadata.bounds(width[0])
        self.fps, self.robot, self.environment = metadata.fps, metadata.robot, metadata.environment
        self.format = metadata.format
        self.tasks = tuple(dict.fromkeys(each.task for each in self._metadata.values() if each.task))
        self.notes = metadata.notes if self.success_source is None else ()

    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        """Yield episodes; `demo_2` comes before `demo_10`."""
        end = len(self._demos) if count is None else min(first + count, len(self._demos))
        for index in range(first, end):
            file, name = self._demos[index]
            with _reading(file), self._h5py.File(file, "r") as opened:
                episode = self._episode(index, file, name, opened["data"][name])
            yield episode

    def _episode(self, index: int, file: Path, name: str, demo: Any) -> Episode:
        actions = _matrix(demo["actions"], file, name, "actions")
        arrays = _observations(self._h5py, demo)
        for key, array in arrays.items():
            if array.shape[0] != len(actions):
                raise damaged(
                    file, f"`{name}` has {len(actions)} `actions` and {array.shape[0]} rows of `{key}`"
                )
        rewards = demo["rewards"][()] if "rewards" in demo else None
        if rewards is not None and rewards.shape[:1] != actions.shape[:1]:
            raise damaged(file, f"`{name}` has {len(actions)} `actions` and {rewards.size} `rewards`")
        metadata = self._metadata[file]
        return Episode(
            index=index,
            name=name if len(self._metadata) == 1 else f"{file.name}/{name}",
            actions=actions,
            state={
                key: _matrix(array, file, name, key)
                for key, array in arrays.items()
                if not _is_picture(array)
            },
            rewards=None if rewards is None else np.asarray(rewards, np.float64).reshape(-1),
            success=metadata.success(demo),
            task=metadata.task_of(demo),
            pictures={
                key: self._frames(file, array.name) for key, array in arrays.items() if _is_picture(array)
            },
        )

    def _frames(self, file: Path, name: str) -> Callable[[], Iterator[NDArray[np.uint8]]]:
        def decode() -> Iterator[NDArray[np.uint8]]:
            with _reading(file), self._h5py.File(file, "r") as opened:
                array = opened[name]
                first_axis = _channels_first(array.shape)
                for start in range(0, array.shape[0], _FRAMES_AT_ONCE):
                    block = array[start : start + _FRAMES_AT_ONCE]
                    yield from (np.moveaxis(block, 1, -1) if first_axis else block)

        return decode


def files_of(path: Path) -> list[Path]:
    """Return the HDF5 files that a path stands for: itself, or those right in the folder."""
    if path.is_dir():
        return [file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file()]
    return [path]


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except DatasetError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise damaged(file, error) from None


def _observations(h5py: Any, demo: Any) -> dict[str, Any]:
    """Return numeric arrays of the observation; the simulator's state where nothing else is there."""
    group = demo.get("obs")
    if not isinstance(group, h5py.Group):
        states = demo.get("states")
        return {"states": states} if isinstance(states, h5py.Dataset) else {}
    found = {}
    for key in sorted(group, key=natural):
        array = group[key]
        numeric = isinstance(array, h5py.Dataset) and array.dtype.kind in "fiub" and len(array.shape) > 0
        if numeric and (_is_picture(array) or len(array.shape) <= _VECTOR_AXES):
            found[key] = array
    return found


def _is_picture(array: Any) -> bool:
    return len(array.shape) == 4 and array.dtype == np.uint8


def _channels_first(shape: tuple[int, ...]) -> bool:
    return shape[-1] not in (1, 3, 4) and shape[1] in (1, 3, 4)


def _camera(array: Any) -> CameraColumn:
    first = _channels_first(array.shape)
    _, a, b, c = array.shape
    height, width, channels = (b, c, a) if first else (a, b, c)
    return CameraColumn(height=height, width=width, channels=channels, channels_first=first)


def _matrix(array: Any, file: Path, demo: str, key: str) -> NDArray[np.floating[Any]]:
    values = np.asarray(array[()])
    if values.ndim == 0 or values.dtype.kind not in "fiub":
        raise damaged(file, f"`{demo}/{key}` is no array of numbers with a row for each step")
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    return values.reshape(len(values), -1)
