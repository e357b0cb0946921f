"""One robot's memory on the disk: read under the readers' lock, changed under the writers'."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.errors import MemoryStoreError
from rpent.memory.index import entries, render_index
from rpent.memory.journal import PENDING, apply, commit
from rpent.memory.layout import AUDIT, INDEX, MAX_FILES, RECIPE, checked_name, is_name
from rpent.memory.lock import locked
from rpent.memory.paths import memory_root
from rpent.memory.tree import read_tree, unreadable
from rpent.memory.validate import Problem, check_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A robot's memory at one moment."""

    files: dict[str, bytes]
    """Path → content of what is valid; the index is not among them."""
    problems: tuple[Problem, ...] = ()
    """What was left out, and why."""


@dataclass(slots=True)
class Change:
    """A change under way: `files` is what there is, `new` what is to be written."""

    files: dict[str, bytes]
    invalid: frozenset[str] = frozenset()
    """Paths of files that are there and were left out."""
    new: dict[str, bytes] = field(default_factory=dict)

    def get(self, path: str) -> bytes | None:
        """Return a file as it will be."""
        return self.new.get(path, self.files.get(path))

    def on_disk(self, path: str) -> bytes | None:
        """Return a file as it is, also one that is not valid (as an empty one)."""
        return b"" if path in self.invalid else self.files.get(path)

    def put(self, path: str, data: bytes) -> bool:
        """Write a file; returns whether that changes it."""
        if self.get(path) == data:
            return False
        self.new[path] = data
        return True


@dataclass(frozen=True, slots=True)
class Store:
    """The memory of one robot.

    Args:
        root: The memory directory, which holds a folder for each robot.
        robot: The robot's name.
        waiting: Told in one sentence when another process holds the memory for some seconds.
    """

    root: Path
    robot: str
    waiting: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        checked_name(self.robot, "robot")

    @property
    def path(self) -> Path:
        """The robot's folder."""
        return self.root / self.robot

    @classmethod
    def at(cls, root: Path | str | None, robot: str, waiting: Callable[[str], None] | None = None) -> Store:
        """Return the memory of a robot in a directory, or in the default one when None."""
        return cls(memory_root(root), robot, waiting)

    def read(self) -> Snapshot:
        """Read everything; a memory that does not exist is empty. Writes nothing.

        Raises:
            MemoryStoreError: It cannot be read, or another process holds it too long.
        """
        with locked(self.path, shared=True, waiting=self.waiting):
            return _read(self.path)

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """Hold the memory, and write what was put into the change, with a new index, all or nothing.

        Raises:
            MemoryStoreError: It cannot be written, or another process holds it too long.
        """
        with locked(self.path, waiting=self.waiting):
            try:
                apply(self.path)
                found = _read(self.path)
                change = Change(found.files, frozenset(problem.path for problem in found.problems))
                yield change
                if change.new:
                    whole = change.files | change.new
                    if len(whole) > MAX_FILES:
                        raise MemoryStoreError(
                            f"The memory of `{self.robot}` would hold {len(whole)} files; at most {MAX_FILES} fit.",
                            hint=f"Remove or join notes in `{self.path}`.",
                        )
                    index = render_index(self.robot, entries(whole))
                    commit(self.path, change.new | {INDEX: index.encode()})
            except OSError as error:
                raise unreadable(self.path, error) from error


def robots(root: Path) -> list[str]:
    """Return the robots that a memory directory knows; other folders may stand there too."""
    try:
        return sorted(entry.name for entry in root.iterdir() if is_name(entry.name) and entry.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(root, error) from error


def _read(folder: Path) -> Snapshot:
    found = read_tree(folder)
    pending = read_tree(folder / PENDING)
    files = found.files | pending.files
    refused = [Problem(path, text) for path, text in found.refused.items() if path not in pending.files]
    problems = sorted([*refused, *check_files(files, draft=False)])
    for problem in problems:
        bad = {problem.path}
        if problem.path.endswith((f"/{RECIPE}", f"/{AUDIT}")):
            stem = problem.path.rpartition("/")[0]
            bad = {f"{stem}/{RECIPE}", f"{stem}/{AUDIT}"}
        for path in bad:
            files.pop(path, None)
    return Snapshot(files, tuple(problems))
