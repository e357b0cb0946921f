"""Keys: how a run is named in an address, and where it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rpent.errors import RpentError
from rpent.runs.directory import GROUPS

if TYPE_CHECKING:
    from pathlib import Path

SEPARATOR = "~"
"""Stands for `/` in the name of a run that belongs to a group."""
PART = re.compile(r"\w[\w .,+=@()-]{0,200}")
"""A folder that can be a run or a group; no hidden one, no separator, no way up."""
GROUPED = 2


class MissingError(RpentError):
    """There is no such run, picture or file."""


def is_group(name: str) -> bool:
    """Whether a folder of this name holds the runs of one exploration or of one session."""
    return any(mark in name for mark in GROUPS.values())


def key_of(run: Path, output_dir: Path) -> str | None:
    """Return the key of a run; None for a folder whose name no key can carry."""
    parts = run.relative_to(output_dir).parts
    if not 1 <= len(parts) <= GROUPED or not all(PART.fullmatch(part) for part in parts):
        return None
    return SEPARATOR.join(parts)


def run_of(key: str, output_dir: Path) -> Path:
    """Return the folder of a run.

    Raises:
        MissingError: It is no key, there is no such folder, or a link in it leads out of the output directory.
    """
    parts = key.split(SEPARATOR)
    if len(parts) <= GROUPED and all(PART.fullmatch(part) for part in parts):
        folder = inside(output_dir, "/".join(parts))
        if folder is not None and folder.is_dir():
            return folder
    raise MissingError("There is no such run.", hint="The library lists the runs.")


def inside(folder: Path, relative: str) -> Path | None:
    """Return a path below a folder; None where links lead out of it or nothing is there."""
    try:
        base = folder.resolve()
        found = (base / relative).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    return found if found.is_relative_to(base) and found != base else None
