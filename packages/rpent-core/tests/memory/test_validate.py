"""A folder of drafts: every problem is found, and nothing outside of it is read."""

from __future__ import annotations

import os

import pytest
from rpent.memory.layout import MAX_NOTE_BYTES
from rpent.memory.validate import validate
from rpent.testing.memory import note, write_files


@pytest.fixture
def drafts(tmp_path):
    (tmp_path / "secret.md").write_text(note("A secret."))
    return write_files(tmp_path / "drafts", {"global/good.md": note(), "task-specific/t/notes.md": note()})


def problems(drafts):
    return {problem.path: problem.text for problem in validate(drafts)}


def test_good_drafts_have_no_problems(drafts):
    assert problems(drafts) == {}
    assert validate(drafts / "absent") == []


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("global/a.txt", "x", "no such place"),
        ("a.md", note(), "no such place"),
        ("global/Upper.md", note(), "no such place"),
        ("global/deep/er/a.md", note(), "no such place"),
        ("task-specific/t/recipe.jsonl", "{}", "Markdown note"),
        ("global/big.md", note("x" * MAX_NOTE_BYTES), "at most"),
        ("global/huge.md", b"x" * 5_000_000, "at most"),
        ("global/empty.md", note(""), "nothing below"),
        ("global/binary.md", b"\x89PNG\r\n\x1a\n\xff", "not UTF-8"),
    ],
)
def test_a_bad_file_is_named_with_its_reason(drafts, path, content, reason):
    write_files(drafts, {path: content})
    assert list(problems(drafts)) == [path]
    assert reason in problems(drafts)[path]


def test_links_are_not_followed(drafts, tmp_path):
    (drafts / "global" / "link.md").symlink_to(tmp_path / "secret.md")
    (drafts / "task-family").symlink_to(tmp_path)
    assert problems(drafts) == {"global/link.md": "It is a link.", "task-family": "It is a link."}


def test_pipes_are_not_waited_for(drafts):
    os.mkfifo(drafts / "global" / "pipe.md")
    assert problems(drafts) == {"global/pipe.md": "It is not a plain file."}


def test_a_very_deep_tree_ends(drafts):
    deep = drafts
    for _ in range(100):
        deep = deep / "d"
        deep.mkdir()
    assert list(problems(drafts)) == ["d/d/d/d/d"]
