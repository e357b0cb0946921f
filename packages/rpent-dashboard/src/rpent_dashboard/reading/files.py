"""The files of a run that the browser may have, by checked names only."""

from __future__ import annotations

import hashlib
import re
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image
from rpent.runs.pictures import decode_depth

from rpent_dashboard.reading.colours import coloured, range_of
from rpent_dashboard.reading.keys import PART, MissingError, inside, is_group
from rpent_dashboard.reading.newest import UNKNOWN_HASH, is_picture_path
from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

FILES = {
    "recipe.jsonl": "application/x-ndjson; charset=utf-8",
    "episode.mp4": "video/mp4",
    "transcript.json": "application/json; charset=utf-8",
    "events.jsonl": "application/x-ndjson; charset=utf-8",
    "run.json": "application/json; charset=utf-8",
}
"""What can be downloaded, and its media type."""
MAX_PICTURE = 32_000_000
"""A larger file is no picture."""
MAX_PIXELS = 20_000_000
"""Depth with more of them comes from no camera; a small file can hold so many that the memory ends."""
_SIGNATURES = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))
_LOG = re.compile(r"(?P<service>\w[\w.-]*)\.log")
_CAMERA = re.compile(r"\w[\w.-]*")


def file_of(run: Path, name: str) -> Path:
    """Return one of the run's files.

    Raises:
        MissingError: It is not there, or none of those that can be had.
    """
    found = inside(run, name) if name in FILES else None
    if found is None or not found.is_file():
        raise MissingError("The run has no such file.")
    return found


def picture(run: Path, path: str, sha256: str) -> tuple[bytes, str]:
    """Return a picture and its media type.

    Args:
        run: The run's folder.
        path: As in the events, `steps/0001/agentview.jpg`.
        sha256: Of its bytes, in hexadecimal; `-` where it is not known.

    Raises:
        MissingError: There is no such picture, or its bytes are others.
    """
    missing = MissingError("There is no such picture.")
    found = inside(run, path) if is_picture_path(path) else None
    if found is None:
        raise missing
    try:
        data = _content(found)
    except OSError:
        raise missing from None
    if sha256 not in {UNKNOWN_HASH, hashlib.sha256(data).hexdigest()}:
        raise missing
    return data, media_type(data)


def _content(file: Path) -> bytes:
    """Return the bytes of a file that holds a picture; somebody may put another thing in its place meanwhile."""
    with opened(file) as stream:
        data = stream.read(MAX_PICTURE + 1)
    if len(data) > MAX_PICTURE:
        raise OSError(f"{file} is too large for a picture")
    return data


def media_type(data: bytes) -> str:
    """Return what a picture's first bytes say that it is.

    Raises:
        MissingError: It is no picture.
    """
    for signature, found in _SIGNATURES:
        if data.startswith(signature):
            return found
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise MissingError("There is no such picture.", hint="The file of that name holds something else.")


def depth_file(run: Path, step: int, camera: str) -> Path:
    """Return the file with the depth of a camera after a step.

    Raises:
        MissingError: There is none.
    """
    name = f"steps/{step:04d}/depth_{camera}.png"
    found = inside(run, name) if _CAMERA.fullmatch(camera) else None
    if found is None or not found.is_file():
        raise MissingError("The step has no depth of this camera.")
    return found


def depth_picture(file: Path, near_m: float | None, far_m: float | None) -> tuple[bytes, tuple[float, float]]:
    """Return the depth as a coloured PNG, and near and far in metres; from the picture itself where not given.

    Raises:
        MissingError: The file is damaged, or too large.
    """
    depth = _depth(file)
    near, far = range_of(depth)
    near, far = near if near_m is None else near_m, far if far_m is None else far_m
    return coloured(depth, near, far), (near, far)


def _depth(file: Path) -> NDArray[np.float32]:
    try:
        data = _content(file)
        with Image.open(BytesIO(data)) as picture:
            depth = decode_depth(data) if picture.width * picture.height <= MAX_PIXELS else None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        depth = None
    if depth is None or depth.ndim != 2:
        raise MissingError("The depth of this camera cannot be read.")
    return depth


def logs_of(run: Path) -> dict[str, Path]:
    """Return service → log, of the run and of the services that the runs of its group share."""
    found: dict[str, Path] = {}
    for folder in _log_folders(run):
        for path in sorted(folder.glob("*.log")):
            match = _LOG.fullmatch(path.name)
            if match and not path.is_symlink() and path.is_file():
                found.setdefault(match["service"], path)
    return found


def log_of(run: Path, service: str) -> Path:
    """Return the log of a service, which may not have been written yet.

    Raises:
        MissingError: A service cannot be called that, or its log is no file of the run.
    """
    name = f"{service}.log"
    if not _LOG.fullmatch(name) or not PART.fullmatch(service):
        raise MissingError("There is no such log.")
    path = logs_of(run).get(service, run / "logs" / name)
    if path.is_symlink() or (path.exists() and not path.is_file()) or (run / "logs").is_symlink():
        raise MissingError("There is no such log.")
    return path


def _log_folders(run: Path) -> Iterator[Path]:
    for owner in (run, run.parent) if is_group(run.parent.name) else (run,):
        if not (folder := owner / "logs").is_symlink():
            yield folder
