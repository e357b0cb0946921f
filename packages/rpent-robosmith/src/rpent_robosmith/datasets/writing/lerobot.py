"""LeRobot v3.0: `data/` and `meta/episodes/` in parquet, `videos/` in mp4, `meta/{info,stats}.json`, tasks.

Layout: https://huggingface.co/docs/lerobot/lerobot-dataset-v3. Nothing here imports LeRobot.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.faults import library
from rpent_robosmith.datasets.writing.api import DatasetWriter, Header
from rpent_robosmith.datasets.writing.lerobot_meta import info_of, task_table, write_json
from rpent_robosmith.datasets.writing.lerobot_stats import EpisodeStatistics, TotalStatistics
from rpent_robosmith.datasets.writing.lerobot_video import VideoShards

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import Episode

DATA_FILE_BYTES = 100 * 2**20
"""LeRobot's own limit of a data file."""


class LerobotWriter(DatasetWriter):
    """A folder. State keys are `observation.…`, cameras `observation.images.…`."""

    def __init__(self, path: Path, header: Header) -> None:
        super().__init__(path, header)
        self._arrow = library("pyarrow", "pyarrow", "writing LeRobot datasets")
        self._parquet = library("pyarrow.parquet", "pyarrow", "writing LeRobot datasets")
        shutil.rmtree(self._partial, ignore_errors=True)
        (self._partial / "meta").mkdir(parents=True)
        self._tasks: dict[str, int] = {}
        self._rows: list[dict[str, Any]] = []
        self._total = TotalStatistics(header)
        self._videos = {
            key: VideoShards(self._partial, key, camera, header.fps) for key, camera in header.cameras.items()
        }
        self._data: Any = None
        self._data_file = 0

    def add(self, episode: Episode) -> None:
        """Write one episode."""
        length = len(episode.actions)
        columns = self._columns(episode)
        statistics = EpisodeStatistics(columns)
        row = {
            "episode_index": self.episodes,
            "tasks": [episode.task or ""],
            "length": length,
            "data/chunk_index": self._data_file // 1000,
            "data/file_index": self._data_file % 1000,
            "dataset_from_index": self.frames,
            "dataset_to_index": self.frames + length,
        }
        for key, shards in self._videos.items():
            row |= shards.add(episode.pictures[key](), length, statistics)
        self._write(columns)
        self._total.add(statistics, columns)
        self._rows.append(row | statistics.row() | _where_in_meta())
        self.episodes += 1
        self.frames += length

    def _columns(self, episode: Episode) -> dict[str, NDArray[np.generic]]:
        length = len(episode.actions)
        last = np.arange(length) == length - 1
        columns: dict[str, NDArray[np.generic]] = {
            key: np.asarray(rows, np.float32) for key, rows in episode.state.items()
        }
        columns["action"] = np.asarray(episode.actions, np.float32)
        if self.header.has_rewards and episode.rewards is not None:
            columns["next.reward"] = np.asarray(episode.rewards, np.float32)
        columns["next.done"] = last
        if self.header.has_success:
            columns["next.success"] = last & bool(episode.success)
        columns["timestamp"] = (np.arange(length) / self.header.fps).astype(np.float32)
        columns["frame_index"] = np.arange(length)
        columns["episode_index"] = np.full(length, self.episodes)
        columns["index"] = np.arange(self.frames, self.frames + length)
        task = self._tasks.setdefault(episode.task or "", len(self._tasks))
        columns["task_index"] = np.full(length, task)
        return columns

    def _write(self, columns: dict[str, NDArray[np.generic]]) -> None:
        table = self._arrow.table({key: self._column(rows) for key, rows in columns.items()})
        if self._data is None:
            place = f"data/chunk-{self._data_file // 1000:03d}/file-{self._data_file % 1000:03d}.parquet"
            file = self._partial / place
            file.parent.mkdir(parents=True, exist_ok=True)
            self._data = self._parquet.ParquetWriter(file, table.schema)
            self._data_path = file
        self._data.write_table(table)
        if self._data_path.stat().st_size > DATA_FILE_BYTES:
            self._close_data()

    def _column(self, rows: NDArray[np.generic]) -> Any:
        if rows.ndim == 1:
            return self._arrow.array(rows)
        flat = self._arrow.array(rows.reshape(-1))
        return self._arrow.FixedSizeListArray.from_arrays(flat, rows.shape[1])

    def _close_data(self) -> None:
        if self._data is not None:
            self._data.close()
            self._data, self._data_file = None, self._data_file + 1

    def finish(self) -> Path:
        """Write `meta/` and put the folder in place."""
        self._close_data()
        codec = {key: shards.close() for key, shards in self._videos.items()}
        meta = self._partial / "meta"
        names = list(self._rows[0]) if self._rows else []
        table = self._arrow.table({name: [row[name] for row in self._rows] for name in names})
        (meta / "episodes" / "chunk-000").mkdir(parents=True)
        self._parquet.write_table(table, meta / "episodes" / "chunk-000" / "file-000.parquet")
        self._parquet.write_table(task_table(self._arrow, self._tasks), meta / "tasks.parquet")
        write_json(
            meta / "info.json", info_of(self.header, self.episodes, self.frames, len(self._tasks), codec)
        )
        write_json(meta / "stats.json", self._total.values())
        self._partial.rename(self.path)
        return self.path

    def abandon(self) -> None:
        """Remove the folder."""
        self._close_data()
        for shards in self._videos.values():
            shards.close()
        shutil.rmtree(self._partial, ignore_errors=True)


def _where_in_meta() -> dict[str, int]:
    return {"meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
