"""The folders of sessions below an output directory: making one, holding it, finding earlier ones."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import RunDirectoryError
from rpent.run.lock import RunLock
from rpent.runs.directory import GROUPS, create_group
from rpent.runs.index import is_locked

from rpent_dashboard.hosting.errors import ConflictError, NotFoundError
from rpent_dashboard.hosting.journal import NAME, read_entries
from rpent_dashboard.hosting.record import Record, fold
from rpent_dashboard.reading.keys import key_of

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Held:
    """A session's folder that this process holds."""

    path: Path
    lock: RunLock

    def release(self) -> None:
        """Let another process have it."""
        self.lock.__exit__()


def create(output_dir: Path, robot: str) -> Held:
    """Make a fresh folder and hold it.

    Raises:
        RunDirectoryError: The output directory cannot be written.
    """
    return hold(create_group(output_dir, robot, kind="dashboard"))


def hold(path: Path) -> Held:
    """Take a session's folder for this process.

    Raises:
        ConflictError: Another process holds it.
        RunDirectoryError: It cannot be written.
    """
    lock = RunLock(path)
    try:
        lock.__enter__()
    except RunDirectoryError:
        if is_locked(path):
            raise ConflictError(
                f"The session `{path.name}` is open in another process.", hint="Close it there first."
            ) from None
        raise
    return Held(path, lock)


def find(output_dir: Path, name: str) -> Path:
    """Return the folder of an earlier session.

    Raises:
        NotFoundError: There is none of that name.
    """
    for path in _folders(output_dir):
        if path.name == name:
            return path
    raise NotFoundError(
        f"There is no session `{name}`.", hint="Sessions of this output directory are listed."
    )


def read(path: Path) -> Record:
    """Read a session's journal."""
    return fold(read_entries(path))


def earlier(output_dir: Path, *, without: str = "") -> list[dict[str, Any]]:
    """Describe the sessions of an output directory, newest first."""
    found = []
    for path in _folders(output_dir):
        with suppress(OSError):
            if path.name != without:
                found.append(_described(path))
    return sorted(found, key=lambda session: session["created"], reverse=True)


def _described(path: Path) -> dict[str, Any]:
    record = read(path)
    in_use = is_locked(path)
    return {
        "name": path.name,
        "robot": record.robot,
        "created": record.created,
        "queued": len(record.queued()),
        "tasks": len(record.tasks),
        "interrupted": 0 if in_use else len(record.interrupted()),
        "in_use": in_use,
    }


def _folders(output_dir: Path) -> list[Path]:
    """Return the sessions' folders: those whose runs have keys, and no links."""
    found = (file.parent for file in output_dir.glob(f"*{GROUPS['dashboard']}*/{NAME}"))
    return [path for path in found if key_of(path, output_dir) and not path.is_symlink()]
