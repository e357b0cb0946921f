"""Where kitchen assets are kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rpent.environments.paths import cache_dir
from rpent.errors import UsageError
from rpent.home import expanded

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "RPENT_ROBOCASA_ASSETS_DIR"
"""The folder of the real assets: for a disk that has the room, or assets that others fetched. (`RPENT_ROBOCASA_ASSETS`
is the option `--assets` of a run.)"""


def placeholder_dir(package_version: str) -> Path:
    """Return where the placeholders for a version of the simulator are: in the cache, because they are made again."""
    return checked(cache_dir() / "robocasa" / f"placeholder-{package_version}")


def real_dir() -> Path:
    """Return where the real assets are: among the user's data, or what `RPENT_ROBOCASA_ASSETS_DIR` says."""
    if chosen := os.environ.get(VARIABLE):
        return checked(expanded(chosen))
    from platformdirs import user_data_path  # noqa: PLC0415 (only where no variable says it)

    return checked(user_data_path("rpent", appauthor=False) / "robocasa" / "assets")


def checked(folder: Path) -> Path:
    """Return a folder that the simulator can use.

    It looks for `models/assets` in the paths of its files and takes what follows for its own installation.

    Raises:
        UsageError: The path would mislead it.
    """
    if "models/assets" in folder.as_posix():
        raise UsageError(
            f"Kitchen assets cannot be in `{folder}`: the simulator mistakes a path with `models/assets` in it.",
            hint=f"Set `RPENT_CACHE_DIR` or `{VARIABLE}` to another folder.",
        )
    return folder
