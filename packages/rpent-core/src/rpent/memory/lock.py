"""One process at a time writes a robot's memory; the kernel releases the lock however the process ends."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rpent.errors import MemoryStoreError
from rpent.memory.tree import unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NAME = ".lock"
QUIET_S = 3.0
"""After this long somebody is told what is being waited for."""
TIMEOUT_S = 60.0
"""A merge takes milliseconds: who waits this long waits for a process that hangs."""
_PAUSE_S = 0.02


@contextmanager
def locked(
    folder: Path,
    *,
    shared: bool = False,
    waiting: Callable[[str], None] | None = None,
    quiet_s: float = QUIET_S,
    timeout_s: float = TIMEOUT_S,
) -> Iterator[None]:
    """Hold a robot's memory.

    Args:
        folder: The robot's folder; made for a writer, must exist for a reader.
        shared: Take the readers' lock: writers wait, other readers do not.
        waiting: Told once, in one sentence, when it takes longer than `quiet_s`.
        quiet_s: See `waiting`.
        timeout_s: When to give up.

    Raises:
        MemoryStoreError: Another process holds it all that time, or the folder cannot be used.
    """
    file = _open(folder, shared=shared)
    try:
        _take(file, folder, shared=shared, waiting=waiting, quiet_s=quiet_s, timeout_s=timeout_s)
        yield
    finally:
        if file >= 0:
            os.close(file)


def _open(folder: Path, *, shared: bool) -> int:
    """Open the lock's file; -1 for a reader of a memory that nobody ever locked."""
    try:
        if not shared:
            folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
        return os.open(folder / NAME, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except FileNotFoundError:
        return -1
    except OSError as error:
        raise unreadable(folder, error) from error


def _take(
    file: int,
    folder: Path,
    *,
    shared: bool,
    waiting: Callable[[str], None] | None,
    quiet_s: float,
    timeout_s: float,
) -> None:
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    started, told = time.monotonic(), waiting is None
    while file >= 0:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - started
        except OSError as error:
            raise unreadable(folder, error) from error
        else:
            return
        if waited > timeout_s:
            raise MemoryStoreError(
                f"The memory of `{folder.name}` was in use by another process for {timeout_s:g} s.",
                hint="End the process that hangs; a lock ends with its process.",
            )
        if not told and waited > quiet_s and waiting is not None:
            told = True
            waiting(f"Waiting for the memory of `{folder.name}`, which another process is writing.")
        time.sleep(_PAUSE_S)
