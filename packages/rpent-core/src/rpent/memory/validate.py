"""Whether files are fit for the memory: their names, sizes and text. One problem is one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.memory.layout import AUDIT, RECIPE, TASK, MemoryPath, MemoryPathError, parse_path, shown
from rpent.memory.note import NoteError, parse_note
from rpent.memory.recipe import read_published
from rpent.memory.tree import read_tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong with a file."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.text}"


def check_note(data: bytes, *, draft: bool) -> str | None:
    """Return what is wrong with a note's text, or None.

    Args:
        data: The file's bytes.
        draft: Whether it is what one run adds, which holds no sections of other runs.
    """
    try:
        note = parse_note(data)
    except NoteError as error:
        return str(error)
    if draft and note.sections:
        return "A draft holds only what this run adds: leave the `## From run` sections out, the memory keeps them."
    if draft and not note.body:
        return "It holds nothing below its title and summary."
    return None


def check_files(files: Mapping[str, bytes], *, draft: bool) -> list[Problem]:
    """Return what is wrong with files, by path below the robot's folder.

    Args:
        files: Path → bytes.
        draft: Whether they are drafts: notes only, without sections of other runs.
    """
    problems = []
    for path, data in sorted(files.items()):
        if (text := _check_file(path, data, draft=draft)) is not None:
            problems.append(Problem(path, text))
    return problems if draft else sorted([*problems, *_check_recipes(files)])


def validate(drafts: Path) -> list[Problem]:
    """Return what is wrong with a folder of drafts; empty when all of it can be merged."""
    found = read_tree(drafts)
    refused = [Problem(path, text) for path, text in found.refused.items()]
    return sorted([*refused, *check_files(found.files, draft=True)])


def _check_file(path: str, data: bytes, *, draft: bool) -> str | None:
    try:
        place: MemoryPath = parse_path(path)
    except MemoryPathError as error:
        return f"The memory has no such place. {error.hint}"
    if len(data) > place.max_bytes:
        return f"It has {len(data)} bytes; at most {place.max_bytes} are kept."
    if place.is_note:
        return check_note(data, draft=draft)
    return (
        "A draft is a Markdown note; recipes are published by runs that solved the task." if draft else None
    )


def _check_recipes(files: Mapping[str, bytes]) -> list[Problem]:
    folders = {path.rpartition("/")[0] for path in files if path.endswith((f"/{RECIPE}", f"/{AUDIT}"))}
    problems = []
    for folder in sorted(folder for folder in folders if folder.startswith(f"{TASK}/")):
        recipe, audit = files.get(f"{folder}/{RECIPE}"), files.get(f"{folder}/{AUDIT}")
        if recipe is None or audit is None:
            missing = RECIPE if recipe is None else AUDIT
            problems.append(
                Problem(f"{folder}/{missing}", "It is missing: a recipe and its audit go together.")
            )
            continue
        try:
            read_published(recipe, audit)
        except ValueError as error:
            text = str(error)
            problems.append(Problem(f"{folder}/{RECIPE}", f"{text[:1].upper()}{text[1:]}."))
    return problems
