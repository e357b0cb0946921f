"""The layout of a robot's memory, and which names may stand in it.

A path is accepted only when it is spelled exactly as the layout spells it, so that no other spelling (`..`,
absolute, another case, other alphabets) can name a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rpent.errors import UsageError

Area = Literal["global", "task-family", "task-specific"]

GLOBAL: Area = "global"
FAMILY: Area = "task-family"
TASK: Area = "task-specific"
INDEX = "MEMORY.md"
NOTES = "notes.md"
RECIPE = "recipe.jsonl"
AUDIT = "audit.json"
DRAFTS = "memory-draft"
"""Folder of a run directory where an exploring run leaves what it would add; laid out as the memory."""
MAX_NOTE_BYTES = 32_768
"""A note that a planner should read whole."""
MAX_RECIPE_BYTES = 4_000_000
MAX_AUDIT_BYTES = 65_536
MAX_FILES = 5_000
"""Files of one robot."""

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9_-])?", re.ASCII)
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)
_NOTE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\.md", re.ASCII)
_HINT = (
    "Use `global/NAME.md`, `task-family/FAMILY/NAME.md` or `task-specific/TASK/NAME.md`; NAME has small letters, "
    "digits, `-` and `_`."
)


class MemoryPathError(UsageError):
    """A path or name that the layout does not have."""


@dataclass(frozen=True, slots=True, order=True)
class MemoryPath:
    """The place of one file in a robot's memory."""

    area: Area
    owner: str
    """Family or task; empty in `global`."""
    name: str

    def __str__(self) -> str:
        return "/".join(part for part in (self.area, self.owner, self.name) if part)

    @property
    def is_note(self) -> bool:
        """Whether it is a Markdown note; else it belongs to a recipe."""
        return self.name.endswith(".md")

    @property
    def max_bytes(self) -> int:
        """How large the file may be."""
        if self.is_note:
            return MAX_NOTE_BYTES
        return MAX_RECIPE_BYTES if self.name == RECIPE else MAX_AUDIT_BYTES

    def visible(self, family: str, task: str) -> bool:
        """Whether a task of that family may see it."""
        return self.area == GLOBAL or self.owner == (family if self.area == FAMILY else task)


def parse_path(text: str) -> MemoryPath:
    """Read a path below the robot's folder.

    Raises:
        MemoryPathError: The layout has no such path.
    """
    parts = text.split("/")
    if parts[0] == GLOBAL and len(parts) == 2 and _NOTE.fullmatch(parts[1]):
        return MemoryPath(GLOBAL, "", parts[1])
    if len(parts) == 3 and _OWNER.fullmatch(parts[1]):
        if parts[0] == FAMILY and _NOTE.fullmatch(parts[2]):
            return MemoryPath(FAMILY, parts[1], parts[2])
        if parts[0] == TASK and (_NOTE.fullmatch(parts[2]) or parts[2] in (RECIPE, AUDIT)):
            return MemoryPath(TASK, parts[1], parts[2])
    raise MemoryPathError(f"{shown(text)} is not a path of the memory.", hint=_HINT)


def is_name(name: str) -> bool:
    """Return whether a robot, family or task can have this name."""
    return _OWNER.fullmatch(name) is not None


def checked_name(name: str, what: str) -> str:
    """Return a robot's, family's or task's name that can be a folder's.

    Raises:
        MemoryPathError: It cannot.
    """
    if not is_name(name):
        raise MemoryPathError(
            f"{shown(name)} cannot be the name of a {what}.",
            hint="At most 80 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.",
        )
    return name


def checked_run(name: str) -> str:
    """Return a run's name that can stand in a heading.

    Raises:
        MemoryPathError: It cannot.
    """
    if not _RUN.fullmatch(name):
        raise MemoryPathError(
            f"{shown(name)} cannot be the name of a run.",
            hint="At most 200 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.",
        )
    return name


def shown(text: str) -> str:
    """Return a text from outside in backticks, fit for one line of an error."""
    clean = "".join(char if char.isprintable() and char != "`" else "?" for char in text[:100])
    return f"`{clean}{'...' if len(text) > 100 else ''}`"
