"""Where managed environments and overlays live: the user's cache, which may be deleted at any time."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError, UsageError
from rpent.home import expanded

if TYPE_CHECKING:
    from pathlib import Path

CACHE_VARIABLE = "RPENT_CACHE_DIR"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def cache_dir() -> Path:
    """Return RPent's folder in the user's cache, or what `RPENT_CACHE_DIR` says."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return expanded(chosen)
    from platformdirs import user_cache_path  # noqa: PLC0415 (only where no variable says it)

    return user_cache_path("rpent")


def environment_dir(name: str) -> Path:
    """Return the folder of a managed environment.

    Raises:
        UsageError: The name cannot be a folder's.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"`{name}` is not an environment's name.", hint="`rpent env list` shows the names.")
    return cache_dir() / "environments" / name


def make_dir(path: Path) -> Path:
    """Make a folder in the cache.

    Raises:
        EnvironmentSetupError: It cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def unwritable(path: Path, error: OSError) -> EnvironmentSetupError:
    """Return the error for a cache that cannot be written."""
    return EnvironmentSetupError(
        f"The cache folder `{path}` cannot be written ({error.strerror or error}).",
        hint=f"Set `{CACHE_VARIABLE}` to a folder that you may write to.",
    )
