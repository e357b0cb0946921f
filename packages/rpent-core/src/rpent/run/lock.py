"""One process at a time writes a run directory; the kernel releases the lock however the process ends."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from rpent.errors import RunDirectoryError
from rpent.runs.files import unwritable

if TYPE_CHECKING:
    from pathlib import Path


class RunLock:
    """Holds a run directory."""

    def __init__(self, run_dir: Path) -> None:
        self._path = run_dir / ".lock"
        self._file = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            RunDirectoryError: Another process is writing this run, or the directory cannot be written.
        """
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise unwritable(self._path.parent, error) from error
        try:
            self._take()
        except OSError:
            os.close(self._file)
            raise RunDirectoryError(
                f"`{self._path.parent}` is in use: its run is still going on.", hint="Stop that run first."
            ) from None
        return self

    def _take(self) -> None:
        """Take it; who only looks whether a run goes on holds it for an instant, so that is waited for."""
        for _ in range(20):
            with suppress(BlockingIOError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.01)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
