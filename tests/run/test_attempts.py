"""Several attempts in one session: verdicts, recipes, budgets, kills and crashes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from rpent.run import Explore, Limits, RunRequest, execute, replay, resume
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.runs.recipe import read_recipe
from rpent.runs.show import show_lines
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry

SLOW = {"step_time_s": 0.05}
WRONG: list[tuple[str, Any]] = [
    ("move_to", {"xyz": [0.1, 0.0, 0.2]}),
    ("next_attempt", {"status": "failure", "lesson": "The cube is not there."}),
]


def called(run_dir: Path, attempt: int | None = None) -> list[str]:
    directory = RunDirectory(run_dir)
    file = directory.recipe if attempt is None else directory.attempt_recipe(attempt)
    return [call.name for call in read_recipe(file)]


def attempts(run_dir: Path) -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = json.loads((run_dir / "run.json").read_text())["attempts"]
    return recorded


def answers(run_dir: Path, name: str) -> list[Any]:
    events = read_events(run_dir / "events.jsonl")
    return [event for event in events if event.type == "tool_returned" and event.name == name]


def test_a_failed_attempt_a_reset_and_a_success(run_fake):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    assert outcome.benchmark_success is True
    assert outcome.planner_status == "success"
    first, second = attempts(outcome.run_dir)
    assert (first["benchmark_success"], first["status"]) == (False, "failure")
    assert first["lesson"] == "The cube is not there."
    assert (second["benchmark_success"], second["status"]) == (True, "success")
    assert called(outcome.run_dir, 1) == ["move_to"]
    assert called(outcome.run_dir) == [name for name, _ in solution()]
    counts = json.loads((outcome.run_dir / "run.json").read_text())["counts"]
    assert counts["env_steps"] == first["env_steps"] + second["env_steps"]


def test_the_reply_shows_the_fresh_world(run_fake):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    (reply,) = answers(outcome.run_dir, "next_attempt")
    assert (reply.data["attempt"], reply.data["attempts_left"]) == (2, 1)
    assert reply.data["last_attempt"]["benchmark_success"] is False
    assert reply.data["observation"]["env_step"] == 0
    assert reply.images
    opening = json.loads((outcome.run_dir / "steps/0000/state.json").read_text())["state"]
    assert reply.data["observation"] == opening


def test_one_success_counts_whatever_comes_after(run_fake):
    solved = solution()[:-1]
    again = ("next_attempt", {"status": "success", "lesson": "Done; a shorter way may exist."})
    late = ("move_to", {"xyz": [0.1, 0.0, 0.2]})
    calls = [*solved, again, late, ("finish", {"status": "stuck", "summary": "No shorter way."})]
    outcome = run_fake(calls, explore=Explore(attempts=2))
    assert outcome.benchmark_success is True
    assert [attempt["benchmark_success"] for attempt in attempts(outcome.run_dir)] == [True, False]
    assert answers(outcome.run_dir, "next_attempt")[0].ok


def test_no_more_attempts_than_allowed(run_fake):
    calls = [*WRONG, *WRONG, ("finish", {"status": "failure", "summary": "No."})]
    outcome = run_fake(calls, explore=Explore(attempts=2))
    allowed, refused = answers(outcome.run_dir, "next_attempt")
    assert allowed.ok
    assert not refused.ok
    assert "All 2 attempts are used" in refused.data["error"]
    assert "finish" in refused.data["hint"]
    assert len(attempts(outcome.run_dir)) == 2


def test_without_exploration_there_is_no_such_tool(run_fake):
    outcome = run_fake([*WRONG, *solution()])
    (refused,) = answers(outcome.run_dir, "next_attempt")
    assert "There is no tool `next_attempt`" in refused.data["error"]
    assert "attempt" not in {
        event.type.partition("_")[0] for event in read_events(outcome.run_dir / "events.jsonl")
    }
    assert not (outcome.run_dir / "attempts").exists()


def test_control_steps_are_counted_over_all_attempts(run_fake):
    away = ("move_to", {"xyz": [0.3, 0.3, 0.3]})
    again = ("next_attempt", {"status": "stuck", "lesson": "Too far."})
    outcome = run_fake([away, again] * 20, explore=Explore(attempts=20), limits=Limits(max_env_steps=50))
    assert outcome.reason == "step_limit"
    steps = [attempt["env_steps"] for attempt in attempts(outcome.run_dir)]
    assert len(steps) > 2
    assert sum(steps) >= 50
    assert sum(steps[:-1]) < 50


def test_the_text_and_the_transcript_tell_of_attempts(run_fake):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    text = "\n".join(show_lines(RunDirectory(outcome.run_dir)))
    assert "— attempt 2" in text
    assert "— attempt 1: not solved (planner: failure" in text
    entries = json.loads((outcome.run_dir / "transcript.json").read_text())["entries"]
    told = [(entry["attempt"], entry["state"]) for entry in entries if entry["role"] == "attempt"]
    assert told == [(1, "started"), (1, "ended"), (2, "started"), (2, "ended")]
    assert "3 attempts" in entries[0]["text"]


def test_replay_takes_the_last_attempt_or_the_one_named(run_fake):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    again = replay(outcome.run_dir, registry=FakeRegistry(), progress="quiet")
    assert again.benchmark_success is True
    assert called(again.run_dir) == called(outcome.run_dir)
    first = replay(outcome.run_dir, attempt=1, registry=FakeRegistry(), progress="quiet")
    assert first.benchmark_success is False
    assert called(first.run_dir) == ["move_to", "finish"]


@pytest.mark.parametrize("when", ["in the second attempt", "as the second attempt begins"])
def test_kill_and_resume(start_run, when):
    process = start_run(
        "run", planner_config={"calls": [*WRONG, *solution()]}, robot_config=SLOW, explore={"attempts": 3}
    )
    if when == "in the second attempt":
        process.wait_for_event(lambda event: event["type"] == "tool_called" and event["turn"] == 5)
    else:
        process.wait_for_event(lambda event: event["type"] == "attempt_started" and event["attempt"] == 2)
    process.signal(signal.SIGKILL)
    process.wait()
    code, output = start_run("resume", run_dir=str(process.run_dir)).wait()
    assert code == 0, output
    run_dir = process.run_dir
    assert [attempt["benchmark_success"] for attempt in attempts(run_dir)] == [False, True]
    assert called(run_dir, 1) == ["move_to"]
    assert called(run_dir) == [name for name, _ in solution()]


def cut(run_dir: Path, wanted: Any) -> None:
    """Leave a run as a kill right after the first such event would."""
    path = run_dir / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if wanted(json.loads(line)))
    path.write_bytes(b"".join(lines[: end + 1]))
    manifest = json.loads((run_dir / "run.json").read_text())
    (run_dir / "run.json").write_text(json.dumps(manifest | {"outcome": None}))


@pytest.mark.parametrize(
    ("kind", "attempt"),
    [("attempt_ended", 1), ("attempt_started", 2), ("tool_called", 0), ("attempt_started", 1)],
)
def test_a_kill_between_any_two_events_of_a_reset(run_fake, kind, attempt):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    cut(
        outcome.run_dir,
        lambda event: (
            event["type"] == kind and (event.get("attempt") == attempt or event.get("name") == "next_attempt")
        ),
    )
    outcome = resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet")
    assert outcome.benchmark_success is True
    assert [one["attempt"] for one in attempts(outcome.run_dir)] == [1, 2]
    assert [one["benchmark_success"] for one in attempts(outcome.run_dir)] == [False, True]
    assert called(outcome.run_dir, 1) == ["move_to"]
    assert called(outcome.run_dir) == [name for name, _ in solution()]


def test_an_attempt_that_a_limit_ended_goes_on(run_fake):
    calls = [*WRONG, *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=2), limits=Limits(max_turns=4))
    assert outcome.reason == "turn_limit"
    assert len(attempts(outcome.run_dir)) == 2
    outcome = resume(outcome.run_dir, limits=Limits(), registry=FakeRegistry(), progress="quiet")
    assert outcome.benchmark_success is True
    assert [one["attempt"] for one in attempts(outcome.run_dir)] == [1, 2]


def test_a_crash_under_the_reset_is_recovered(run_fake):
    seen: dict[str, Any] = {}

    def kill_once(event: Any) -> None:
        if event.type == "service" and event.state == "ready":
            seen.setdefault("pid", event.pid)
        if event.type == "tool_called" and event.name == "next_attempt" and "killed" not in seen:
            seen["killed"] = True
            os.kill(seen["pid"], signal.SIGKILL)

    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3), on_event=kill_once)
    assert outcome.benchmark_success is True
    failed, repeated = answers(outcome.run_dir, "next_attempt")
    assert "had no effect; call it again" in failed.data["error"]
    assert repeated.ok
    assert len(attempts(outcome.run_dir)) == 2


def test_a_robot_without_a_reset_is_refused(tmp_path, monkeypatch):
    from rpent.testing.fake_robot.toolkit import FakeToolkit

    monkeypatch.delattr(FakeToolkit, "reset")
    request = RunRequest(
        robot="fake",
        planner="scripted",
        output_dir=tmp_path,
        progress="quiet",
        explore=Explore(attempts=2),
    )
    outcome = execute(request, registry=FakeRegistry())
    assert outcome.reason == "infrastructure"
    assert "cannot be reset" in outcome.detail


def test_ctrl_c_in_an_attempt(start_run):
    process = start_run(
        "run", planner_config={"calls": [*WRONG, *solution()]}, robot_config=SLOW, explore={"attempts": 3}
    )
    process.wait_for_event(lambda event: event["type"] == "tool_called" and event["turn"] == 5)
    process.signal(signal.SIGINT)
    code, output = process.wait(30)
    assert code == 130, output
    _, second = attempts(process.run_dir)
    assert (second["status"], second["benchmark_success"]) == (None, False)
