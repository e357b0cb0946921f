"""A task sees what is for every task, for its family and for itself; nothing else, by no path."""

from __future__ import annotations

import os

import pytest
from rpent.memory.publish import publish_recipe
from rpent.memory.view import MemoryView
from rpent.testing.memory import note, recipe_calls, solved_audit, write_files

VISIBLE = ("global/a.md", "task-family/f/a.md", "task-specific/t/notes.md")
HIDDEN = (
    "task-family/g/a.md",
    "task-family/f2/a.md",
    "task-specific/u/notes.md",
    "task-specific/t2/notes.md",
)


@pytest.fixture
def memory(store, tmp_path):
    write_files(
        store.path, {path: note(f"For {path}.", title=f"Note {path}") for path in (*VISIBLE, *HIDDEN)}
    )
    write_files(store.root / "other", {"global/a.md": note("Of another robot.")})
    (tmp_path / "outside.md").write_text(note("Outside."))
    publish_recipe(store, "u", recipe_calls(), solved_audit())
    return store


def view(store, family="f", task="t"):
    return MemoryView(store.root, store.robot, family, task)


def test_files_index_and_entries_show_the_same(memory):
    seen = view(memory)
    assert seen.files == VISIBLE
    assert [entry.path for entry in seen.entries()] == list(VISIBLE)
    for path in VISIBLE:
        assert f"For {path}." in seen.read(path)
        assert f"`{path}`" in seen.read("MEMORY.md")
    for path in HIDDEN:
        assert seen.read(path) is None
        assert path not in seen.read("MEMORY.md")
    assert seen.recipe() is None
    assert view(memory, "g", "u").recipe() is not None


@pytest.mark.parametrize(
    "path",
    [
        "../other/global/a.md",
        "global/../task-specific/u/notes.md",
        "task-family/f/../g/a.md",
        "task-specific/t/../u/notes.md",
        "./global/a.md",
        "global//a.md",
        "Global/a.md",
        "GLOBAL/A.MD",
        "global/a.md\0",
        "global/a.md\n",
        "global/\uff41.md",
        "global/a\u0301.md",
        "global/link.md",
        "global",
        "",
        ".",
        ".lock",
        "/etc/passwd",
        "~/.bashrc",
        "a" * 1_000_000,
    ],
)
def test_no_other_spelling_finds_anything(memory, path):
    assert view(memory).read(path) is None
    assert view(memory).read(str(memory.path / "task-specific/u/notes.md")) is None


def test_links_in_the_memory_lead_nowhere(memory, tmp_path):
    (memory.path / "global" / "link.md").symlink_to(tmp_path / "outside.md")
    (memory.path / "task-family" / "l").symlink_to(memory.path / "task-family" / "g")
    (memory.path / "global" / "hidden.md").symlink_to(memory.path / "task-specific/u/notes.md")
    seen = view(memory)
    assert seen.files == VISIBLE
    assert {problem.path for problem in seen.problems} == {"global/link.md", "global/hidden.md"}
    assert view(memory, family="l").read("task-family/l/a.md") is None


def test_what_is_seen_does_not_change_during_a_run(memory):
    seen = view(memory)
    before, digest = seen.read("global/a.md"), seen.digest
    (memory.path / "global/a.md").write_text(note("Changed."))
    (memory.path / "global/b.md").write_text(note("New."))
    assert seen.read("global/a.md") == before
    assert (seen.digest, seen.files) == (digest, VISIBLE)
    assert view(memory).digest != digest


def test_the_digest_is_of_what_can_be_seen(memory):
    digest = view(memory).digest
    (memory.path / "task-specific/u/notes.md").write_text(note("Not for us."))
    assert view(memory).digest == digest
    assert view(memory, task="t2").digest != digest


def test_reading_writes_nothing(store):
    assert view(store).files == ()
    assert not store.root.exists()
    write_files(store.path, {"global/a.md": note()})
    assert view(store).files == ("global/a.md",)
    assert [file.name for file in store.path.iterdir()] == ["global"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_memory_that_cannot_be_read_is_one_sentence(memory):
    from rpent.errors import MemoryStoreError

    memory.path.chmod(0)
    try:
        with pytest.raises(MemoryStoreError, match="cannot be used"):
            view(memory)
    finally:
        memory.path.chmod(0o700)
