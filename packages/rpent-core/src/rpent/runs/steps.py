"""`steps/NNNN/`: what the planner saw after each action, and the simulator's snapshot."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import RunDirectoryError
from rpent.runs.files import plain, unwritable
from rpent.runs.pictures import encode_depth, encode_pictures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent.runs.directory import RunDirectory
    from rpent.runs.pictures import Picture
    from rpent.tools.result import Capture, Image

STEP_BUDGET = 1_000_000
"""Bytes that one step writes at most; the views of a run that somebody watches come on top."""
VIEWS_BUDGET = 200_000
"""Bytes of the views of one step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredStep:
    """A step as it was written."""

    index: int
    pictures: list[Picture]
    """For the planner."""
    views: list[Picture]
    """Of further cameras, for whoever watches."""
    depth: list[str]
    """The cameras whose depth is stored."""


def write_step(
    directory: RunDirectory,
    index: int,
    capture: Capture,
    extra: dict[str, Any],
    actions: NDArray[np.float64] | None = None,
    *,
    views: Sequence[Image] = (),
) -> StoredStep:
    """Write a step's folder, whole or not at all.

    Args:
        directory: The run.
        index: The step's number.
        capture: What was observed.
        extra: Further plain data for `state.json` (which call led here).
        actions: (T, D) control actions that led here from the step before, where the env server keeps them.
        views: Pictures of further cameras, which the planner does not get.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    target = directory.step(index)
    pictures = encode_pictures(capture.images, f"steps/{index:04d}")
    files = {f"{picture.name}.jpg": picture.data for picture in pictures}
    if capture.snapshot is not None:
        files["snapshot.bin"] = capture.snapshot
    if actions is not None:
        files["actions.npy"] = _array_file(actions)
    state = {"step": index, **extra, "state": capture.state, "cameras": capture.cameras}
    files["state.json"] = json.dumps(plain(state), ensure_ascii=False).encode()
    files |= _depth_files(capture, STEP_BUDGET - sum(map(len, files.values())))
    extra_pictures = _encoded_views(views, f"steps/{index:04d}")
    files |= {f"view_{picture.name}.jpg": picture.data for picture in extra_pictures}
    temporary = target.with_name(f".{target.name}.tmp")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        for name, data in files.items():
            (temporary / name).write_bytes(data)
        temporary.rename(target)
    except OSError as error:
        raise unwritable(target, error) from error
    return StoredStep(index=index, pictures=pictures, views=extra_pictures, depth=list(capture.depth))


def _encoded_views(views: Sequence[Image], folder: str) -> list[Picture]:
    pictures = encode_pictures(views, folder, budget=VIEWS_BUDGET)
    return [replace(picture, path=f"{folder}/view_{picture.name}.jpg") for picture in pictures]


def _array_file(values: NDArray[np.float64]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def _depth_files(capture: Capture, budget: int) -> dict[str, bytes]:
    """Encode the depth maps; halve them until they fit in what the step has left."""
    stride = 1
    while True:
        files = {
            f"depth_{camera}.png": encode_depth(depth[::stride, ::stride])
            for camera, depth in capture.depth.items()
        }
        if sum(map(len, files.values())) <= budget or stride >= 8:
            return files
        stride *= 2


def read_snapshot(directory: RunDirectory, index: int) -> bytes:
    """Read a step's snapshot.

    Raises:
        RunDirectoryError: The step has none.
    """
    path: Path = directory.step(index) / "snapshot.bin"
    try:
        return path.read_bytes()
    except OSError:
        raise RunDirectoryError(f"Step {index} of `{directory.path.name}` has no snapshot.") from None


def read_actions(directory: RunDirectory, index: int) -> NDArray[np.float64] | None:
    """Read the control actions that led to a step from the one before; None where they were not recorded.

    Returns:
        (T, D) float64.

    Raises:
        RunDirectoryError: The file is damaged.
    """
    path: Path = directory.step(index) / "actions.npy"
    try:
        values = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError):
        raise RunDirectoryError(f"`{path}` cannot be read: it holds no actions.") from None
    if values.ndim != 2 or values.dtype != np.float64 or not np.isfinite(values).all():
        raise RunDirectoryError(f"`{path}` holds {values.shape} {values.dtype}, not (T, D) finite float64.")
    return np.asarray(values, np.float64)


def drop_steps_after(directory: RunDirectory, index: int) -> None:
    """Remove steps above `index` and half-written ones; they belong to calls that never returned."""
    directory.steps.mkdir(exist_ok=True)
    for folder in directory.steps.iterdir():
        if folder.name.startswith(".") or (folder.name.isdigit() and int(folder.name) > index):
            shutil.rmtree(folder, ignore_errors=True)
