"""Scratch folders of workers: one each, removed with it, or by the next owner where an owner was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time

_PREFIX = "rpent-worker-"
_YOUNG_S = 60.0
"""Younger folders may be about to be locked."""


class Scratch:
    """A folder that exists as long as this object is open; a lock on it tells other owners so."""

    def __init__(self) -> None:
        sweep()
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self._descriptor = os.open(self.path, os.O_RDONLY)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._descriptor)


def sweep() -> None:
    """Remove the folders of this user whose owners are gone."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError):
        state = entry.stat(follow_symlinks=False)
        if state.st_uid != os.getuid() or time.time() - state.st_mtime < _YOUNG_S:
            return
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(entry.path, ignore_errors=True)
        finally:
            os.close(descriptor)
