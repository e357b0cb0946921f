"""The places that Claude Code has for itself: home, settings, working directory, temporary files."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.planners.private import private_folder

from rpent_planner_claude_code.endpoint import PLANNER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
def private_places() -> Iterator[PrivateFolder]:
    """Yield a new folder with all of them; it is removed at the end, with all that Claude Code wrote."""
    with private_folder(PLANNER) as path:
        folder = PrivateFolder(path)
        for place in (folder.home, folder.config, folder.work, folder.temporary):
            place.mkdir(mode=0o700)
        yield folder
