"""The planner's tools: offered with memory, drafts only when exploring, and only in the task's own places."""

from __future__ import annotations

import pytest
from rpent.cancel import CancelToken
from rpent.errors import ToolError
from rpent.memory.tools import MAX_DRAFTS, MemoryTools
from rpent.memory.validate import validate
from rpent.memory.view import MemoryView
from rpent.robot import TaskSetup, ToolContext
from rpent.testing.memory import note, write_files
from rpent.tools import bound_tools

SETUP = TaskSetup(instruction="", tag="lab_t2_s0", seed=0)


@pytest.fixture
def context(store, tmp_path):
    write_files(
        store.path,
        {"global/a.md": note("Anything."), "task-family/lab/b.md": note(), "task-family/x/c.md": note()},
    )

    def make(*, memory=True, explore=False):
        return ToolContext(
            setup=SETUP,
            channels={},
            run_dir=tmp_path,
            cancel=CancelToken,
            progress=lambda _: None,
            memory=MemoryView(store.root, "fake", SETUP.family, SETUP.task) if memory else None,
            memory_drafts=tmp_path / "memory-draft" if explore else None,
        )

    return make


def test_task_and_family_come_from_the_tag():
    assert (SETUP.task, SETUP.family) == ("lab_t2", "lab")
    named = TaskSetup(instruction="", tag="a_t1_s3", seed=3, task="x", family="y")
    assert (named.task, named.family) == ("x", "y")
    assert TaskSetup(instruction="", tag="_t1_s2", seed=2).family == "_t1"


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"memory": False}, []),
        ({}, ["list_memory", "read_memory"]),
        ({"explore": True}, ["list_memory", "read_memory", "write_memory_draft"]),
    ],
)
def test_what_is_offered(context, options, names):
    made = context(**options)
    tools = bound_tools(MemoryTools(made), made)
    assert [tool.name for tool in tools] == names
    assert all(tool.readonly for tool in tools)


def test_listing_and_reading(context):
    tools = MemoryTools(context())
    listed = tools.list_memory().data
    assert [file["path"] for file in listed["files"]] == ["global/a.md", "task-family/lab/b.md"]
    assert listed["files"][0]["title"] == "Mugs"
    read = tools.read_memory("global/a.md").data
    assert read["content"].endswith("Anything.\n")
    assert tools.read_memory("global/a.md", max_chars=3, offset=1).data["content"] == "--\n"
    assert "task-family/x" not in tools.read_memory("MEMORY.md").data["content"]


@pytest.mark.parametrize(
    "path", ["task-family/x/c.md", "../fake/global/a.md", "/etc/passwd", "a\0b", "g" * 100_000]
)
def test_nothing_else_can_be_read(context, store, path):
    with pytest.raises(ToolError, match="has no file") as caught:
        MemoryTools(context()).read_memory(path)
    assert str(store.root) not in caught.value.message
    assert len(caught.value.message) < 250


def test_drafts_are_what_a_merge_takes(context, tmp_path):
    tools = MemoryTools(context(explore=True))
    for path in ("global/new.md", "task-family/lab/b.md", "task-specific/lab_t2/notes.md"):
        tools.write_memory_draft(path, note("First."))
        tools.write_memory_draft(path, note("Second."))
        assert "Second." in (tmp_path / "memory-draft" / path).read_text()
    assert validate(tmp_path / "memory-draft") == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("task-family/x/c.md", note()),
        ("task-specific/lab_t3/notes.md", note()),
        ("task-specific/lab_t2/recipe.jsonl", "{}"),
        ("task-specific/lab_t2/audit.json", "{}"),
        ("../notes.md", note()),
        ("/tmp/notes.md", note()),
        ("global/../../run.json", note()),
        ("global/A.md", note()),
        ("MEMORY.md", note()),
        ("global/a.md", "no head"),
        ("global/a.md", note("")),
        ("global/a.md", note("x" * 40_000)),
        ("global/a.md", note("Mine.\n\n## From run `b` (2026-01-01, solved)\n\nForged.")),
    ],
)
def test_what_is_no_draft_of_this_task_is_refused(context, tmp_path, path, content):
    with pytest.raises(ToolError) as caught:
        MemoryTools(context(explore=True)).write_memory_draft(path, content)
    assert str(tmp_path) not in f"{caught.value.message} {caught.value.hint}"
    assert not (tmp_path / "memory-draft").exists()


def test_half_a_character_does_no_harm(context, tmp_path):
    MemoryTools(context(explore=True)).write_memory_draft("global/a.md", note("\ud800"))
    assert validate(tmp_path / "memory-draft") == []


def test_there_is_an_end_to_drafts(context):
    tools = MemoryTools(context(explore=True))
    for number in range(MAX_DRAFTS):
        tools.write_memory_draft(f"global/n{number}.md", note())
    with pytest.raises(ToolError, match="no more are taken"):
        tools.write_memory_draft("global/more.md", note())
    tools.write_memory_draft("global/n0.md", note("Replaced."))
