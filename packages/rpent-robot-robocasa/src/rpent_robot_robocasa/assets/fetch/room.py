"""Whether a disk has the room, asked before it is filled."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

from rpent_robot_robocasa.assets.paths import VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

SPARE = 200_000_000
"""Bytes that are left for others."""


def need_room(folder: Path, count: int, what: str) -> None:
    """Refuse what does not fit.

    Args:
        folder: Where it shall go.
        count: Its bytes.
        what: What it is, for the message.

    Raises:
        EnvironmentSetupError: The disk has not the room.
    """
    free = shutil.disk_usage(folder).free
    if free < count + SPARE:
        raise EnvironmentSetupError(
            f"The disk of `{folder}` has {free / 1e9:.1f} GB left, and {what} needs {(count + SPARE) / 1e9:.1f} GB.",
            hint=f"Make room, or set `{VARIABLE}` to a folder on another disk.",
        )


def unwritable(folder: Path, error: OSError) -> EnvironmentSetupError:
    """Return the error for a folder of assets that cannot be written, or a disk that is full after all."""
    return EnvironmentSetupError(
        f"Kitchen assets cannot be written into `{folder}` ({error.strerror or error}).",
        hint=f"Make room, or set `{VARIABLE}` to a folder that you may write to.",
    )
