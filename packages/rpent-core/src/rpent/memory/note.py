"""A note: Markdown with a title and a one-line summary, and a section for each run that added to it.

    ---
    title: Grasping mugs
    summary: Handles point away from the robot; grasp the rim.
    ---

    ## From run `libero_object_swap_t2_s0_api_20260301-101500` (2026-03-01, solved)

    ...

What stands before the first such heading was written by hand and is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rpent.memory.layout import shown

MAX_TITLE = 100
MAX_SUMMARY = 240
_HEADING = re.compile(r"^## From run `([^`\n]+)`.*$", re.MULTILINE)
_KEYS = ("title", "summary")


class NoteError(ValueError):
    """What is wrong with a note, as one sentence."""


@dataclass(frozen=True, slots=True)
class Section:
    """What one run added."""

    run: str
    heading: str
    """The whole heading line."""
    body: str

    def __str__(self) -> str:
        return f"{self.heading}\n\n{self.body}"


@dataclass(frozen=True, slots=True)
class Note:
    """A note's parts."""

    title: str
    summary: str
    body: str
    """What belongs to no run's section."""
    sections: tuple[Section, ...] = ()

    def __str__(self) -> str:
        text = f"---\ntitle: {self.title}\nsummary: {self.summary}\n---\n"
        for part in (self.body, *map(str, self.sections)):
            text += f"\n{part}\n" if part else ""
        return text

    def with_section(self, section: Section) -> Note:
        """Return the note with a run's section: at the end, or in place of what that run wrote before."""
        runs = [present.run for present in self.sections]
        if section.run not in runs:
            return replace(self, sections=(*self.sections, section))
        sections = tuple(section if present.run == section.run else present for present in self.sections)
        return replace(self, sections=sections)


def parse_note(data: bytes) -> Note:
    """Read a note.

    Raises:
        NoteError: It is not text, or has no title and summary at its top.
    """
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise NoteError("It is not UTF-8 text.") from None
    if any(ord(char) < 32 and char not in "\n\t" for char in text):
        raise NoteError("It holds control characters.")
    head, body = _split_head(text)
    values = _values(head)
    headings = list(_HEADING.finditer(body))
    ends = [*(match.start() for match in headings), len(body)][1:]
    sections = tuple(
        Section(match[1], match[0], body[match.end() : end].strip())
        for match, end in zip(headings, ends, strict=True)
    )
    own = body[: headings[0].start()] if headings else body
    return Note(values["title"], values["summary"], own.strip(), sections)


def _split_head(text: str) -> tuple[str, str]:
    match = re.match(r"---\n(.*?)\n---[ \t]*(?:\n|\Z)", text, re.DOTALL)
    if match is None:
        raise NoteError(
            "It does not begin with `---`, a line `title: ...`, a line `summary: ...`, and `---` again."
        )
    return match[1], text[match.end() :]


def _values(head: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in filter(str.strip, head.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in _KEYS or key.strip() in values:
            raise NoteError(f"{shown(line)} at its top is not `title: ...` or `summary: ...`, once each.")
        values[key.strip()] = value.strip().strip("\"'").strip()
    for key, limit in (("title", MAX_TITLE), ("summary", MAX_SUMMARY)):
        value = values.get(key, "")
        if not value:
            raise NoteError(f"It has no `{key}` at its top.")
        if len(value) > limit or not value.isprintable():
            raise NoteError(f"Its `{key}` must be one line of at most {limit} printable characters.")
    return values
