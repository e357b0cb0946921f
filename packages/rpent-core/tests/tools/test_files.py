"""The file tools reach the run directory, and nothing else."""

from __future__ import annotations

import pytest
from rpent.errors import ToolError
from rpent.tools.files import FileTools


@pytest.fixture
def places(tmp_path, tool_context):
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (run_dir / "run.json").write_text("{}")
    return FileTools(tool_context(run_dir=run_dir)), run_dir


def test_text_round_trip(places):
    files, run_dir = places
    files.write_text_file("notes/plan.md", "one")
    assert (run_dir / "notes" / "plan.md").read_text() == "one"
    assert files.read_text_file("notes/plan.md", max_chars=2).data["content"] == "on"
    assert files.read_text_file("notes/plan.md", offset=1).data["content"] == "ne"


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "/etc/passwd", "notes/../../outside.txt", "a\0b"],
)
def test_outside_is_refused_without_naming_real_paths(places, path):
    files, run_dir = places
    for call in (files.read_text_file, files.list_dir, lambda where: files.write_text_file(where, "x")):
        with pytest.raises(ToolError) as caught:
            call(path)
        assert str(run_dir) not in caught.value.message


def test_links_that_lead_outside_are_refused(places, tmp_path):
    files, run_dir = places
    (run_dir / "link").symlink_to(tmp_path / "outside.txt")
    (run_dir / "folder").symlink_to(tmp_path)
    for path in ("link", "folder/outside.txt"):
        with pytest.raises(ToolError, match="outside the run directory"):
            files.read_text_file(path)
    with pytest.raises(ToolError, match="outside"):
        files.write_text_file("link", "changed")
    assert (tmp_path / "outside.txt").read_text() == "secret"


@pytest.mark.parametrize(
    "path",
    [
        "run.json",
        "events.jsonl",
        "steps/0000/state.json",
        "logs/x.log",
        "episode.mp4",
        "memory-draft/global/a.md",
        "",
    ],
)
def test_the_runs_own_record_cannot_be_changed(places, path):
    files, _ = places
    with pytest.raises(ToolError):
        files.write_text_file(path, "forged")


@pytest.mark.parametrize("path", ["run.json", "events.jsonl", "logs/env.log"])
def test_paths_and_logs_of_the_machine_are_not_shown(places, path):
    files, run_dir = places
    (run_dir / "logs").mkdir(exist_ok=True)
    (run_dir / path).write_text("/home/somebody")
    with pytest.raises(ToolError):
        files.read_text_file(path)


def test_listing_names_files(places):
    files, _ = places
    files.write_text_file("b.md", "12345")
    listed = {entry["name"]: entry["bytes"] for entry in files.list_dir().data["files"]}
    assert listed["b.md"] == 5


def test_binary_and_missing_files_are_sentences(places):
    files, run_dir = places
    (run_dir / "x.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ToolError, match="not a text file"):
        files.read_text_file("x.bin")
    with pytest.raises(ToolError, match="no file"):
        files.read_text_file("absent.md")
