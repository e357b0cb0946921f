"""Videos of a LeRobot v3.0 dataset: episodes one after the other in files of a camera."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RpentError

from rpent_robosmith.datasets.faults import library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import CameraColumn
    from rpent_robosmith.datasets.writing.lerobot_stats import EpisodeStatistics

FILE_BYTES = 200 * 2**20
"""LeRobot's own limit of a video file."""
CODEC = {"video.codec": "h264", "video.pix_fmt": "yuv420p"}


class VideoShards:
    """One camera's files."""

    def __init__(self, root: Path, key: str, camera: CameraColumn, fps: float) -> None:
        self._ffmpeg = library("imageio_ffmpeg", "imageio-ffmpeg", "encoding videos", extra="video")
        self._root, self._key, self._fps = root, key, fps
        self._size = (camera.width, camera.height)
        self._stream: Any = None
        self._file = 0
        self._frames = 0

    def add(
        self, frames: Iterator[NDArray[np.uint8]], length: int, statistics: EpisodeStatistics
    ) -> dict[str, float | int]:
        """Encode an episode's frames.

        Returns:
            The episode's columns of `meta/episodes` for this camera.

        Raises:
            RpentError: There are not as many frames as steps.
        """
        if self._stream is not None and self._path.stat().st_size > FILE_BYTES:
            self._next_file()
        begin, seen = self._frames / self._fps, 0
        for frame in frames:
            self._send(np.ascontiguousarray(frame, np.uint8))
            statistics.picture(self._key, frame)
            seen += 1
        if seen != length:
            raise RpentError(f"The camera `{self._key}` gave {seen} frames in an episode of {length} steps.")
        self._frames += seen
        name = f"videos/{self._key}"
        return {
            f"{name}/chunk_index": self._file // 1000,
            f"{name}/file_index": self._file % 1000,
            f"{name}/from_timestamp": begin,
            f"{name}/to_timestamp": self._frames / self._fps,
        }

    def _send(self, frame: NDArray[np.uint8]) -> None:
        if self._stream is None:
            path = f"videos/{self._key}/chunk-{self._file // 1000:03d}/file-{self._file % 1000:03d}.mp4"
            self._path = self._root / path
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._ffmpeg.write_frames(
                str(self._path),
                self._size,
                fps=self._fps,
                codec="libx264",
                pix_fmt_out="yuv420p",
                macro_block_size=1,
                # A key frame every other frame, as LeRobot has it: any frame is reached at once.
                output_params=["-g", "2", "-crf", "18", "-bf", "0", "-flags:v", "+bitexact", "-threads", "1"],
                ffmpeg_log_level="error",
            )
            self._stream.send(None)
        self._stream.send(frame)

    def _next_file(self) -> None:
        self._stream.close()
        self._stream, self._file, self._frames = None, self._file + 1, 0

    def close(self) -> dict[str, Any]:
        """Complete the last file; returns what `meta/info.json` says of the encoding."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        return CODEC
