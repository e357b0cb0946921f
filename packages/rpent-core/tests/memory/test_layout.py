"""Paths are accepted when they are spelled as the layout spells them, and in no other way."""

from __future__ import annotations

import pytest
from rpent.memory.layout import MemoryPathError, parse_path


@pytest.mark.parametrize(
    "path",
    [
        "global/mugs.md",
        "task-family/libero_object/where-things-are.md",
        "task-specific/libero_object_swap_t2/notes.md",
        "task-specific/libero_object_swap_t2/recipe.jsonl",
        "task-specific/libero_object_swap_t2/audit.json",
        "task-specific/Robot.v2_t1/a.md",
    ],
)
def test_paths_of_the_layout(path):
    assert str(parse_path(path)) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "MEMORY.md",
        "global",
        "global/",
        "global//a.md",
        "/global/a.md",
        "./global/a.md",
        "global/./a.md",
        "global/../global/a.md",
        "global/sub/a.md",
        "global/..",
        "global/.hidden.md",
        "global/a.txt",
        "global/a.md/",
        "global/A.md",
        "Global/a.md",
        "global/a.MD",
        "global/a b.md",
        "global/a\0.md",
        "global/a.md\n",
        "global/a\u0301.md",
        "global/\uff41.md",
        "global/а.md",  # noqa: RUF001  (a Cyrillic letter)
        "global\\a.md",
        "global/recipe.jsonl",
        "global/" + "a" * 65 + ".md",
        "task-family/a.md",
        "task-family/../a.md",
        "task-family/./a.md",
        "task-family/f/recipe.jsonl",
        "task-family/f./a.md",
        "task-specific/t/other.json",
        "task-specific/t/sub/notes.md",
        "task-specific/" + "t" * 81 + "/notes.md",
        "task-specific/-t/notes.md",
        "other/t/notes.md",
        "../fake/global/a.md",
        "C:/global/a.md",
        "a" * 1_000_000,
    ],
)
def test_everything_else_is_refused_in_one_short_line(path):
    with pytest.raises(MemoryPathError) as caught:
        parse_path(path)
    assert len(caught.value.message) < 200
    assert caught.value.message.isprintable()
