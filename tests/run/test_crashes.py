"""Kills, interrupts and crashes at awkward moments: the record stays whole, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import threading
import time

import psutil
import pytest
from rpent.errors import RunDirectoryError, UsageError
from rpent.run import Limits, resume
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry

SLOW = {"step_time_s": 0.05}


def gone(processes: list[psutil.Process], timeout_s: float = 15.0) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=timeout_s)
    return not alive


def third_move(event):
    return event["type"] == "tool_called" and event["turn"] == 4


def test_kill_of_the_run_leaves_no_process_and_resume_finishes(start_run):
    process = start_run("run", planner_config={"calls": solution()}, robot_config=SLOW)
    process.wait_for_event(third_move)
    children = process.descendants()
    assert children
    process.signal(signal.SIGKILL)
    process.wait()
    assert gone(children)

    run_dir = process.run_dir
    manifest = json.loads((run_dir / "run.json").read_text())
    assert manifest["outcome"] is None
    json.loads((run_dir / "transcript.json").read_text())
    before = [event.seq for event in read_events(run_dir / "events.jsonl")]

    resumed = start_run("resume", run_dir=str(run_dir))
    code, output = resumed.wait()
    assert code == 0, output
    events = list(read_events(run_dir / "events.jsonl"))
    assert [event.seq for event in events] == list(range(len(events)))
    assert len(events) > len(before)
    manifest = json.loads((run_dir / "run.json").read_text())
    assert manifest["outcome"]["benchmark_success"] is True
    assert len(manifest["processes"]) == 2
    names = [json.loads(line)["name"] for line in (run_dir / "recipe.jsonl").read_text().splitlines()]
    assert names == [name for name, _ in solution()]
    entries = json.loads((run_dir / "transcript.json").read_text())["entries"]
    calls = [entry["call_id"] for entry in entries if entry["role"] == "assistant" and "call_id" in entry]
    answers = [entry["call_id"] for entry in entries if entry["role"] == "tool"]
    assert sorted(calls) == sorted(answers)
    assert (run_dir / "episode.mp4").stat().st_size > 0
    assert not list(run_dir.glob("episode.part*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_and_its_like_end_in_order(start_run, number):
    process = start_run("run", planner_config={"calls": solution()}, robot_config=SLOW)
    process.wait_for_event(third_move)
    children = process.descendants()
    process.signal(number)
    code, output = process.wait(30)
    assert code == 130, output
    assert gone(children)
    manifest = json.loads((process.run_dir / "run.json").read_text())
    assert manifest["outcome"]["reason"] == "interrupted"
    assert manifest["counts"]["tool_calls"] == 4
    assert (process.run_dir / "episode.mp4").is_file()
    last = process.events()[-1]
    assert last["type"] == "run_ended"


def test_ctrl_c_while_services_start(start_run):
    process = start_run("run", planner_config={"calls": solution()})
    process.wait_for_event(lambda event: event["type"] == "stage" and event["stage"] == "services")
    process.signal(signal.SIGINT)
    code, output = process.wait(30)
    assert code == 130, output
    assert json.loads((process.run_dir / "run.json").read_text())["outcome"]["reason"] == "interrupted"


def test_kill_of_the_env_server_is_survived(run_fake):
    """The planner hears of it; the world is as after the last step, and the run goes on to success."""
    seen: dict[str, object] = {}

    def kill_once(event):
        if event.type == "service" and event.state == "ready":
            seen.setdefault("pid", event.pid)
        if event.type == "tool_called" and event.turn == 4 and "killed" not in seen:
            seen["killed"] = True
            threading.Timer(0.15, os.kill, (seen["pid"], signal.SIGKILL)).start()

    outcome = run_fake(solution(), robot_config=SLOW, on_event=kill_once)
    assert outcome.exit_code == 0
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    assert [event.type for event in events].count("recovered") == 1
    failed = [event for event in events if event.type == "tool_returned" and not event.ok]
    assert len(failed) == 1
    assert "as it was after step 3" in failed[0].data["error"]
    assert "Traceback" not in failed[0].text
    recipe = (outcome.run_dir / "recipe.jsonl").read_text().splitlines()
    assert [json.loads(line)["name"] for line in recipe] == [name for name, _ in solution()]


def test_time_limit_cancels_the_tool_and_keeps_the_record(run_fake):
    far = [("move_to", {"xyz": [0.3, 0.3, 0.3]}), ("move_to", {"xyz": [-0.3, -0.3, 0.3]})] * 5
    started = time.monotonic()
    outcome = run_fake(far, robot_config={"step_time_s": 0.2}, limits=Limits(time_limit_s=1.0))
    assert time.monotonic() - started < 20
    assert outcome.reason == "time_limit"
    assert outcome.exit_code == 1
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    returned = [event for event in events if event.type == "tool_returned"]
    assert returned[-1].cancelled
    assert returned[-1].step is not None, "the state after the cancelled motion is recorded"


@pytest.mark.parametrize("lost", [False, True])
def test_a_finished_run_is_not_resumed(run_fake, lost):
    outcome = run_fake(solution())
    if lost:  # a full disk kept the outcome out of run.json
        path = outcome.run_dir / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"outcome": None}))
    assert RunDirectory(outcome.run_dir).read_manifest()["outcome"] == outcome.to_json()
    with pytest.raises(UsageError, match="has finished"):
        resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet")


def test_a_limited_run_is_resumed_with_a_new_limit(run_fake):
    outcome = run_fake(solution(), limits=Limits(max_turns=3))
    assert (outcome.reason, outcome.exit_code) == ("turn_limit", 1)
    outcome = resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet", limits=Limits(max_turns=20))
    assert outcome.exit_code == 0
    manifest = RunDirectory(outcome.run_dir).read_manifest()
    assert manifest["counts"]["turns"] == 8
    assert manifest["counts"]["tool_calls"] == 7


def test_a_running_run_is_not_resumed(start_run):
    process = start_run("run", planner_config={"calls": solution()}, robot_config=SLOW)
    process.wait_for_event(third_move)
    with pytest.raises(RunDirectoryError, match="in use"):
        resume(process.run_dir, registry=FakeRegistry(), progress="quiet")


def test_a_run_whose_events_are_lost_is_one_sentence_and_stays_as_it_is(run_fake):
    outcome = run_fake(solution(), limits=Limits(max_turns=3))
    (outcome.run_dir / "events.jsonl").unlink()
    before = sorted(path.name for path in (outcome.run_dir / "steps").iterdir())
    with pytest.raises(RunDirectoryError, match=r"`events.jsonl` of the run .* is missing"):
        resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet", limits=Limits(max_turns=20))
    assert sorted(path.name for path in (outcome.run_dir / "steps").iterdir()) == before
