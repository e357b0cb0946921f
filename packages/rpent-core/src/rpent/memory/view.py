"""What one task may see of a robot's memory, as it was when the run began."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from rpent.memory.index import Entry, entries, render_index
from rpent.memory.layout import AUDIT, FAMILY, GLOBAL, INDEX, RECIPE, TASK, checked_name, parse_path
from rpent.memory.recipe import PublishedRecipe, read_published
from rpent.memory.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.memory.validate import Problem


class MemoryView:
    """The notes for every task, for the task's family, and for the task itself, with its recipe.

    Everything is read once, so that a run sees the same memory from its beginning to its end. A path is looked
    up among the names of what was read; no path leads to the disk.

    Args:
        root: The memory directory.
        robot: The robot's name.
        family: The task's family (`TaskSetup.family`).
        task: The task's name (`TaskSetup.task`).
        waiting: Told in one sentence when another process holds the memory for some seconds.

    Raises:
        MemoryStoreError: The memory cannot be read. One that does not exist is empty.
    """

    def __init__(
        self,
        root: Path,
        robot: str,
        family: str,
        task: str,
        waiting: Callable[[str], None] | None = None,
    ) -> None:
        self.robot, self.family, self.task = robot, checked_name(family, "family"), checked_name(task, "task")
        snapshot = Store(root, robot, waiting).read()
        self._files = {
            path: data
            for path, data in sorted(snapshot.files.items())
            if parse_path(path).visible(family, task)
        }
        own = (f"{GLOBAL}/", f"{FAMILY}/{family}/", f"{TASK}/{task}/")
        self.problems: tuple[Problem, ...] = tuple(
            problem for problem in snapshot.problems if problem.path.startswith(own)
        )
        """Files that this task would see if they were valid."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all files, the index left out."""
        return tuple(self._files)

    @property
    def digest(self) -> str:
        """SHA-256 over paths and contents: two runs with the same digest could see the same."""
        whole = hashlib.sha256()
        for path, data in self._files.items():
            whole.update(f"{path}\0{hashlib.sha256(data).hexdigest()}\n".encode())
        return whole.hexdigest()

    def entries(self) -> list[Entry]:
        """Return title and summary of each note and of the recipe."""
        return entries(self._files)

    def index(self) -> str:
        """Return `MEMORY.md`, with the lines of the visible files only."""
        return render_index(self.robot, self.entries())

    def read(self, path: str) -> str | None:
        """Return a file's text (`MEMORY.md` too), or None where this task sees no such file."""
        if path == INDEX:
            return self.index()
        data = self._files.get(path)
        return None if data is None else data.decode()

    def recipe(self) -> PublishedRecipe | None:
        """Return the task's recipe with its audit, if one was published."""
        folder = f"{TASK}/{self.task}"
        recipe, audit = self._files.get(f"{folder}/{RECIPE}"), self._files.get(f"{folder}/{AUDIT}")
        return None if recipe is None or audit is None else read_published(recipe, audit)

    def manifest(self) -> dict[str, Any]:
        """Return what run.json records."""
        return {"digest": self.digest, "files": list(self.files)}
