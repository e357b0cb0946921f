"""Several files changed together: a kill at any moment leaves all of them changed, or none.

New contents are written to `.staging`, which becomes `.pending` in one rename: from then on the change holds.
`apply` moves them to their places; where it was killed, readers take what is in `.pending` first, and the next
writer finishes it.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from rpent.memory.layout import INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PENDING = ".pending"
_STAGING = ".staging"


def commit(folder: Path, files: Mapping[str, bytes]) -> None:
    """Change files below a robot's folder, all or none. The caller holds the writers' lock.

    Args:
        folder: The robot's folder.
        files: Path → the new content.
    """
    staging = folder / _STAGING
    shutil.rmtree(staging, ignore_errors=True)
    try:
        for path, data in files.items():
            _write(staging / path, data)
        staging.rename(folder / PENDING)
    except OSError:
        shutil.rmtree(staging, ignore_errors=True)  # half a change would keep a full disk full
        raise
    _sync(folder)
    apply(folder)


def apply(folder: Path) -> None:
    """Finish a change that holds already, if there is one. The caller holds the writers' lock."""
    pending, staging = folder / PENDING, folder / _STAGING
    if not pending.is_dir():
        return
    files = [file.relative_to(pending) for file in pending.rglob("*") if file.is_file()]
    for file in sorted(files, key=lambda file: (file.name == INDEX, file)):
        target = folder / file
        temporary = target.with_name(f".{target.name}.tmp")
        _write(temporary, (pending / file).read_bytes())
        temporary.replace(target)
    shutil.rmtree(staging, ignore_errors=True)
    pending.rename(staging)
    _sync(folder)
    shutil.rmtree(staging, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make renames survive a power failure."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
