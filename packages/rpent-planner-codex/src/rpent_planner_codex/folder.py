"""A private folder for the time of a run; what a killed run left behind goes with the next one."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "rpent-codex-"
_LOCK = "lock"
_NEW_S = 60.0
"""A folder this young may be about to be locked."""


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder (0700) and remove it afterwards. It is locked as long as its owner lives."""
    sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / _LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder


def sweep(place: Path) -> None:
    """Remove the folders of runs that were killed: a stored login may be in them."""
    for folder in place.glob(f"{PREFIX}*"):
        try:
            if time.time() - folder.stat().st_mtime < _NEW_S:
                continue
            with (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, or somebody else's
            continue
