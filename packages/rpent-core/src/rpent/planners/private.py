"""A folder for the private things of a run: a vendor's home, settings, notes, copies of pictures."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK = "lock"


@contextmanager
def private_folder(planner: str) -> Iterator[Path]:
    """Yield a new folder that no other user can read; it is removed at the end, with all that was written to it.

    It is locked as long as its owner lives. What a killed run left behind is removed by the next one of the same
    planner, since keys of a login may be in it.
    """
    prefix = folder_prefix(planner)
    _sweep(prefix)
    # It gets its name once it is locked, lest another run takes it for one that was left.
    new = Path(tempfile.mkdtemp(prefix="rpent-new-"))
    lock = os.open(new / _LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = new.rename(new.with_name(new.name.replace("rpent-new-", prefix)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def folder_prefix(planner: str) -> str:
    """Return how the names of a planner's private folders begin, in the folder for temporary files."""
    return f"rpent-{planner}-run-"


def write_private(path: Path, content: str | bytes, mode: int = 0o600) -> None:
    """Write a file that no other user can read at any time."""
    data = content.encode() if isinstance(content, str) else content
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _sweep(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):  # in use, or no folder of ours
            if path.is_symlink() or path.lstat().st_uid != os.getuid():
                continue
            lock = os.open(path / _LOCK, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
