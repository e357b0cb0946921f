"""A folder that Claude Code has for itself: home, settings, working directory, temporary files."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "rpent-claude-code-run-"
_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """Places in the folder; nobody else can read them."""

    path: Path

    @property
    def home(self) -> Path:
        """`HOME`: no settings of the user's are there."""
        return self.path / "home"

    @property
    def config(self) -> Path:
        """`CLAUDE_CONFIG_DIR`: where Claude Code keeps its notes, and copies of the pictures."""
        return self.path / "config"

    @property
    def work(self) -> Path:
        """The working directory: empty, so that there is no `CLAUDE.md` to be read."""
        return self.path / "work"

    @property
    def temporary(self) -> Path:
        """`TMPDIR`."""
        return self.path / "tmp"


@contextmanager
def private_folder() -> Iterator[PrivateFolder]:
    """Yield a new folder; it is removed at the end, with all that Claude Code wrote.

    What a killed process left behind is removed too, by the next one.
    """
    _sweep()
    folder = PrivateFolder(Path(tempfile.mkdtemp(prefix=PREFIX)))
    lock = os.open(folder.path / _LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for place in (folder.home, folder.config, folder.work, folder.temporary):
            place.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder.path, ignore_errors=True)
        os.close(lock)


def _sweep() -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.lstat().st_uid != os.getuid() or path.is_symlink():
                continue
            lock = os.open(path / _LOCK, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
