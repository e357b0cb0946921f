"""The file tools reach the run and memory directories, and nothing else."""

from __future__ import annotations

import pytest
from rpent.errors import ToolError
from rpent.tools.files import FileTools


@pytest.fixture
def places(tmp_path, tool_context):
    run_dir, memory = tmp_path / "run", tmp_path / "memory-store"
    run_dir.mkdir()
    memory.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (run_dir / "run.json").write_text("{}")
    return FileTools(tool_context(run_dir=run_dir, memory_dir=memory)), run_dir, memory


def test_text_round_trip_in_both_directories(places):
    files, run_dir, memory = places
    files.write_text_file("notes/plan.md", "one")
    files.write_text_file("memory/guide.md", "two")
    assert (run_dir / "notes" / "plan.md").read_text() == "one"
    assert (memory / "guide.md").read_text() == "two"
    assert files.read_text_file("memory/guide.md").data["content"] == "two"
    assert files.read_text_file("notes/plan.md", max_chars=2).data["content"] == "on"
    assert files.read_text_file("notes/plan.md", offset=1).data["content"] == "ne"


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "/etc/passwd", "notes/../../outside.txt", "memory/../run/../outside.txt", "a\0b"],
)
def test_outside_is_refused_without_naming_real_paths(places, path):
    files, run_dir, _ = places
    for call in (files.read_text_file, files.list_dir, lambda where: files.write_text_file(where, "x")):
        with pytest.raises(ToolError) as caught:
            call(path)
        assert str(run_dir) not in caught.value.message


def test_links_that_lead_outside_are_refused(places, tmp_path):
    files, run_dir, _ = places
    (run_dir / "link").symlink_to(tmp_path / "outside.txt")
    (run_dir / "folder").symlink_to(tmp_path)
    for path in ("link", "folder/outside.txt"):
        with pytest.raises(ToolError, match="outside the run directory"):
            files.read_text_file(path)
    with pytest.raises(ToolError, match="outside"):
        files.write_text_file("link", "changed")
    assert (tmp_path / "outside.txt").read_text() == "secret"


@pytest.mark.parametrize(
    "path", ["run.json", "events.jsonl", "steps/0000/state.json", "logs/x.log", "episode.mp4", ""]
)
def test_the_runs_own_record_cannot_be_changed(places, path):
    files, *_ = places
    with pytest.raises(ToolError):
        files.write_text_file(path, "forged")


@pytest.mark.parametrize("path", ["run.json", "events.jsonl", "logs/env.log"])
def test_paths_and_logs_of_the_machine_are_not_shown(places, path):
    files, run_dir, _ = places
    (run_dir / "logs").mkdir(exist_ok=True)
    (run_dir / path).write_text("/home/somebody")
    with pytest.raises(ToolError):
        files.read_text_file(path)


def test_listing_names_files_and_memory(places):
    files, *_ = places
    files.write_text_file("b.md", "12345")
    listed = {entry["name"]: entry["bytes"] for entry in files.list_dir().data["files"]}
    assert listed["b.md"] == 5
    assert "memory/" in listed


def test_binary_and_missing_files_are_sentences(places):
    files, run_dir, _ = places
    (run_dir / "x.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ToolError, match="not a text file"):
        files.read_text_file("x.bin")
    with pytest.raises(ToolError, match="no file"):
        files.read_text_file("absent.md")


def test_memory_must_be_declared(tool_context, tmp_path):
    with pytest.raises(ToolError, match="no memory directory"):
        FileTools(tool_context()).read_text_file("memory/guide.md")
