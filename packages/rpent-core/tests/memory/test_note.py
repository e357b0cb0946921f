"""Notes survive a round trip; what is not one is refused with the reason."""

from __future__ import annotations

import pytest
from rpent.memory.note import NoteError, Section, parse_note
from rpent.testing.memory import note


def test_round_trip_with_a_body_and_sections():
    found = parse_note(note("By hand.\n\n## Own heading\n\nMore.").encode())
    found = found.with_section(Section("a", "## From run `a` (2026-03-01, solved)", "One."))
    found = found.with_section(Section("b", "## From run `b` (2026-03-02, not solved)", "# Two\n\ntext"))
    assert parse_note(str(found).encode()) == found
    assert found.body == "By hand.\n\n## Own heading\n\nMore."


def test_windows_line_ends_and_quotes_are_understood():
    found = parse_note(b'---\r\ntitle: "Mugs: a guide"\r\nsummary: s\r\n---\r\n\r\ntext\r\n')
    assert (found.title, found.body) == ("Mugs: a guide", "text")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin with"),
        (b"# Mugs\n", "does not begin with"),
        (b"---\ntitle: a\n---\ntext", "no `summary`"),
        (b"---\ntitle:\nsummary: b\n---\ntext", "no `title`"),
        (b"---\ntitle: a\nsummary: b\ntext", "does not begin with"),
        (b"---\ntitle: a\nsummary: b\nauthor: c\n---\n", "`author: c`"),
        (b"---\ntitle: a\ntitle: b\nsummary: c\n---\n", "once each"),
        (b"---\ntitle: a\nsummary: " + b"b" * 241 + b"\n---\n", "at most 240"),
        (b"---\ntitle: a\xe2\x80\xaeb\nsummary: b\n---\n", "printable"),
        (b"---\ntitle: a\nsummary: b\n---\n\xff", "not UTF-8"),
        (b"---\ntitle: a\nsummary: b\n---\n\x1b[31m", "control characters"),
        (b"---\ntitle: a\nsummary: b\n---\n\0", "control characters"),
    ],
)
def test_what_is_wrong_is_said(data, reason):
    with pytest.raises(NoteError, match=reason):
        parse_note(data)
