"""Drafts of a run become part of the memory.

A draft adds a section `## From run ...` to the note of its path, at its end; merged again, it takes the place of
what the same run added before, so that a merge may be repeated. Title and summary are the newest draft's. A
draft that is not valid, is not for this task, or would make its note too long is refused; the others are merged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rpent.memory.layout import checked_run, parse_path
from rpent.memory.note import Note, Section, parse_note
from rpent.memory.tree import read_tree
from rpent.memory.validate import Problem, check_files

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.memory.store import Change, Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The run that drafts come from."""

    run: str
    """Name of its directory; stands in the heading of what it added."""
    benchmark_success: bool | None = None
    """What the benchmark said; notes of failures are welcome too."""
    created: float = 0.0
    """Unix time of the run; 0 is now."""
    family: str | None = None
    """Given: drafts for other families are refused."""
    task: str | None = None
    """Given: drafts for other tasks are refused."""

    @property
    def heading(self) -> str:
        """The heading of its section."""
        when = datetime.fromtimestamp(self.created, UTC) if self.created else datetime.now(UTC)
        solved = {True: "solved", False: "not solved", None: "not judged"}[self.benchmark_success]
        return f"## From run `{self.run}` ({when:%Y-%m-%d}, {solved})"


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeReport:
    """What a merge did."""

    merged: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Drafts that had been merged before."""
    problems: tuple[Problem, ...] = ()
    """Drafts that were refused, and why."""


def merge(store: Store, drafts: Path, evidence: Evidence) -> MergeReport:
    """Merge a folder of drafts: all that are fit together, or, on a failure, none.

    Args:
        store: The robot's memory.
        drafts: Folder laid out as the memory; one that does not exist holds no drafts.
        evidence: The run that they come from.

    Raises:
        MemoryStoreError: The memory cannot be written.
        MemoryPathError: The run's name cannot stand in a heading.
    """
    checked_run(evidence.run)
    found = read_tree(drafts)
    problems = [Problem(path, text) for path, text in found.refused.items()]
    problems += check_files(found.files, draft=True)
    bad = {problem.path for problem in problems}
    merged: list[str] = []
    unchanged: list[str] = []
    fit = {path: data for path, data in found.files.items() if path not in bad}
    if fit:
        with store.changing() as change:
            for path, data in sorted(fit.items()):
                done = _merge_one(change, path, data, evidence)
                if isinstance(done, Problem):
                    problems.append(done)
                else:
                    (merged if done else unchanged).append(path)
    return MergeReport(merged=tuple(merged), unchanged=tuple(unchanged), problems=tuple(sorted(problems)))


def _merge_one(change: Change, path: str, data: bytes, evidence: Evidence) -> bool | Problem:
    place = parse_path(path)
    if not place.visible(evidence.family or place.owner, evidence.task or place.owner):
        return Problem(path, "It belongs to another task than the run's.")
    if path in change.invalid:
        return Problem(
            path, "The note of that name in the memory is not valid; `rpent memory validate` says why."
        )
    draft = parse_note(data)
    before = change.get(path)
    note = Note(draft.title, draft.summary, "") if before is None else parse_note(before)
    section = Section(evidence.run, evidence.heading, draft.body)
    note = replace(note, title=draft.title, summary=draft.summary).with_section(section)
    text = str(note).encode()
    if len(text) > place.max_bytes:
        return Problem(
            path,
            f"With it the note would have {len(text)} bytes; at most {place.max_bytes} are kept. "
            "Shorten the note in the memory, or use another name.",
        )
    return change.put(path, text)
