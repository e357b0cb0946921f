"""Pictures of datasets, decoded when asked for: clips of video files, and compressed pictures in tables."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.faults import DatasetError, damaged, library
from rpent_robosmith.datasets.lerobot_tables import reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_ROWS_AT_ONCE = 32


def video_frames(file: Path, from_s: float, count: int, fps: float | None) -> Iterator[NDArray[np.uint8]]:
    """Decode a clip of a video file.

    Args:
        file: What ffmpeg reads.
        from_s: When the clip begins, in seconds.
        count: Frames at most; fewer come where the file ends.
        fps: The dataset's rate; the search begins half a frame early, so that rounding skips none.

    Yields:
        (H, W, 3) uint8 frames.

    Raises:
        DatasetError: The file is missing or damaged.
    """
    ffmpeg = library("imageio_ffmpeg", "imageio-ffmpeg", "decoding videos", extra="video")
    if not file.is_file():
        raise DatasetError(f"`{file}` is missing.")
    start = max(0.0, from_s - 0.5 / fps) if fps else from_s
    seek = ["-ss", f"{start:.6f}"] if start > 0 else []
    output = ["-fps_mode", "passthrough", "-frames:v", str(count)]
    try:
        with closing(ffmpeg.read_frames(str(file), input_params=seek, output_params=output)) as stream:
            width, height = next(stream)["size"]
            for data in stream:
                yield np.frombuffer(data, np.uint8).reshape(height, width, 3)
    except (OSError, RuntimeError, ValueError, KeyError, StopIteration) as error:
        raise damaged(file, _reason(error)) from None


def _reason(error: Exception) -> str:
    """Return the last line that ffmpeg wrote: the one that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else "it is no video"


def embedded_pictures(file: Path, column: str, episode: int, root: Path) -> Iterator[NDArray[np.uint8]]:
    """Decode the pictures of one episode from a parquet file (`{"bytes", "path"}` in each row).

    Yields:
        (H, W, 3) uint8 pictures.

    Raises:
        DatasetError: The file or a picture is damaged.
    """
    with reading(file):
        parquet = library("pyarrow.parquet", "pyarrow", "reading LeRobot datasets")
        opened = parquet.ParquetFile(file)
        for batch in opened.iter_batches(_ROWS_AT_ONCE, columns=[column, "episode_index"]):
            indices = batch.column("episode_index").to_numpy(zero_copy_only=False)
            for row in np.flatnonzero(indices == episode):
                yield _decoded(batch.column(column)[int(row)].as_py(), file, root)


def _decoded(value: Any, file: Path, root: Path) -> NDArray[np.uint8]:
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415

    try:
        data = value.get("bytes") if isinstance(value, dict) else value
        if data is None:
            relative = PurePosixPath(str(value["path"]))
            if relative.is_absolute() or ".." in relative.parts:
                raise damaged(file, f"the picture `{relative}` is not in the dataset")
            data = (root / relative).read_bytes()
        with Image.open(io.BytesIO(data)) as picture:
            return np.asarray(picture.convert("RGB"), np.uint8)
    except (UnidentifiedImageError, TypeError, KeyError, Image.DecompressionBombError) as error:
        raise damaged(file, error) from None
