"""Runs with memory: what the planner is told and offered, what run.json records, and that nothing is written."""

from __future__ import annotations

import json

import pytest
from rpent.errors import ExitCode
from rpent.memory.store import Store
from rpent.memory.view import MemoryView
from rpent.run import Limits, resume
from rpent.runs.events import read_events
from rpent.testing.fake_robot.robot import solution
from rpent.testing.memory import note, write_files
from rpent.testing.registry import FakeRegistry

LOOK = [
    ("list_memory", {}),
    ("read_memory", {"path": "global/a.md"}),
    ("read_memory", {"path": "task-specific/fake_t1/notes.md"}),
    ("read_text_file", {"path": "memory/global/a.md"}),
    ("write_memory_draft", {"path": "global/a.md", "content": note()}),
]


@pytest.fixture
def memory(memory_dir):
    write_files(
        Store(memory_dir, "fake").path,
        {
            "global/a.md": note("Cubes are light."),
            "task-specific/fake_t0/notes.md": note(),
            "task-specific/fake_t1/notes.md": note(),
            "task-family/fake/broken.md": "no head",
        },
    )
    return memory_dir


def files_of(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def events_of(outcome, kind):
    return [event for event in read_events(outcome.run_dir / "events.jsonl") if event.type == kind]


def manifest_of(outcome):
    return json.loads((outcome.run_dir / "run.json").read_text())


def test_a_run_with_memory_sees_what_its_task_may_see_and_writes_nothing(run_fake, memory):
    before = files_of(memory)
    outcome = run_fake([*LOOK, *solution()], memory=True)
    assert outcome.benchmark_success
    listed, read, other, file, draft = events_of(outcome, "tool_returned")[:5]
    assert [entry["path"] for entry in listed.data["files"]] == [
        "global/a.md",
        "task-specific/fake_t0/notes.md",
    ]
    assert "Cubes are light." in read.data["content"]
    assert [event.ok for event in (other, file, draft)] == [False, False, False]
    assert "write_memory_draft" in draft.data["error"]
    view = MemoryView(memory, "fake", "fake", "fake_t0")
    assert manifest_of(outcome)["memory"] == {"digest": view.digest, "files": list(view.files)}
    assert any("`task-family/fake/broken.md`" in event.text for event in events_of(outcome, "notice"))
    assert files_of(memory) == before


def test_the_prompt_tells_of_the_memory_where_there_is_one(run_fake, memory):
    (told,) = events_of(run_fake(solution(), memory=True), "prompts")
    assert "task-specific/fake_t0/" in told.system
    assert "list_memory" in told.system
    (untold,) = events_of(run_fake(solution()), "prompts")
    assert "memory" not in untold.system


def test_without_memory_nothing_of_it_is_offered_or_recorded(run_fake, memory):
    outcome = run_fake([("list_memory", {}), *solution()])
    assert not events_of(outcome, "tool_returned")[0].ok
    assert "memory" not in manifest_of(outcome)
    assert manifest_of(outcome)["task"]["scope"] == {"task": "fake_t0", "family": "fake"}


def test_an_empty_memory_is_no_failure(run_fake, memory_dir):
    outcome = run_fake([("list_memory", {}), *solution()], memory=True)
    assert outcome.benchmark_success
    assert events_of(outcome, "tool_returned")[0].data == {"count": 0, "files": []}
    assert not memory_dir.exists()


def test_a_resume_says_when_the_memory_has_changed(run_fake, memory):
    outcome = run_fake([*LOOK, *solution()], memory=True, limits=Limits(max_tool_calls=2))
    write_files(Store(memory, "fake").path, {"global/b.md": note()})
    outcome = resume(outcome.run_dir, registry=FakeRegistry(), limits=Limits(), progress="quiet")
    assert any("has changed since this run began" in event.text for event in events_of(outcome, "notice"))
    assert "global/b.md" in manifest_of(outcome)["memory"]["files"]


def test_a_memory_that_is_a_file_is_one_sentence(run_fake, tmp_path):
    (tmp_path / "memory").write_text("x")
    outcome = run_fake(solution(), memory=True)
    assert outcome.exit_code == ExitCode.INFRASTRUCTURE
    assert "The memory" in outcome.detail
    assert "cannot be used" in outcome.detail
