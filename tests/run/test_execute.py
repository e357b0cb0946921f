"""Whole episodes of the fake robot: a real server process, the real RPC, the real recording."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from rpent.cancel import CancelToken
from rpent.errors import RunDirectoryError, UsageError
from rpent.rpc import serve
from rpent.rpc.facade import CallContext
from rpent.run import Limits, replay
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.runs.steps import read_actions, read_snapshot
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.robot import solution
from rpent.testing.fake_robot.server import FakeEnv, create
from rpent.testing.registry import FakeRegistry


def test_a_solved_episode_leaves_everything(run_fake):
    outcome = run_fake(solution(task=1, seed=5), robot_config={"task": 1, "seed": 5})
    assert outcome.exit_code == 0
    run_dir = outcome.run_dir
    manifest = json.loads((run_dir / "run.json").read_text())
    assert manifest["outcome"] == {
        "benchmark_success": True,
        "planner_status": "success",
        "reason": "finished",
        "detail": "The green cube is on the pad.",
    }
    assert manifest["task"]["init_state"] == 5
    assert manifest["versions"]["packages"]["rpent-core"]
    assert manifest["services"]["env"]["name"] == "fake/env"
    assert manifest["counts"]["steps"] == len(list((run_dir / "steps").iterdir()))
    for step in sorted((run_dir / "steps").iterdir()):
        names = {path.name for path in step.iterdir()}
        assert {"top.jpg", "depth_top.png", "state.json", "snapshot.bin"} <= names
        assert sum(path.stat().st_size for path in step.iterdir()) <= 1_000_000
    assert (run_dir / "logs" / "env.log").is_file()
    assert (run_dir / "episode.mp4").stat().st_size > 500


def test_the_executed_actions_lead_from_step_to_step(run_fake):
    directory = RunDirectory(run_fake(solution()).run_dir)
    steps = sorted(int(path.name) for path in directory.steps.iterdir())
    assert read_actions(directory, 0) is None
    env, call = FakeEnv(FakeEnvConfig()), CallContext("test", CancelToken(), lambda _: None)
    for step in steps[1:]:
        env.restore(call, read_snapshot(directory, step - 1))
        actions = read_actions(directory, step)
        if len(actions):
            env.chunk_step(call, actions)
        assert env.snapshot(call) == read_snapshot(directory, step)


def test_the_claim_and_the_benchmark_are_two_things(run_fake):
    outcome = run_fake([("finish", {"status": "success"})])
    assert outcome.planner_status == "success"
    assert outcome.benchmark_success is False
    assert outcome.exit_code == 1


def test_a_replay_gives_the_same_trajectory(run_fake):
    first = run_fake(solution())
    second = replay(first.run_dir, registry=FakeRegistry(), progress="quiet")
    assert second.exit_code == 0
    assert second.run_dir != first.run_dir
    last = sorted((first.run_dir / "steps").iterdir())[-1].name
    one, two = (run.run_dir / "steps" / last / "snapshot.bin" for run in (first, second))
    assert one.read_bytes() == two.read_bytes()


def test_a_replay_stops_at_a_step(run_fake):
    first = run_fake(solution())
    second = replay(first.run_dir, to_step=3, registry=FakeRegistry(), progress="quiet")
    assert second.exit_code == 1
    assert len(list((second.run_dir / "steps").iterdir())) == 4


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_turns=2), "turn_limit"),
        (Limits(max_tool_calls=2), "turn_limit"),
        (Limits(token_limit=25), "cost_limit"),
        (Limits(max_env_steps=10), "step_limit"),
    ],
)
def test_budgets_end_the_session(run_fake, limits, reason):
    outcome = run_fake([], planner_config={"calls": solution(), "tokens_per_turn": 10}, limits=limits)
    assert outcome.reason == reason
    assert outcome.planner_status is None
    assert outcome.detail


def test_an_unwritable_output_directory_is_one_sentence(run_fake, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(RunDirectoryError, match="cannot be written") as caught:
        run_fake(solution(), output_dir=blocked / "runs")
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_two_runs_in_one_second_get_two_directories(run_fake):
    calls = [("finish", {"status": "stuck"})]
    one, two = run_fake(calls), run_fake(calls)
    assert one.run_dir != two.run_dir


def test_wrong_values_are_refused_before_anything_exists(run_fake, tmp_path):
    with pytest.raises(UsageError, match="task"):
        run_fake([], robot_config={"task": 9})
    with pytest.raises(UsageError, match="no service `evn`"):
        run_fake([], endpoints={"evn": "127.0.0.1:1"})
    with pytest.raises(UsageError, match="`htp`, which is not installed; did you mean `http`"):
        run_fake([], endpoints={"env": "htp://127.0.0.1:1"})
    with pytest.raises(UsageError, match="not an endpoint"):
        run_fake([], endpoints={"env": "127.0.0.1:99999"})
    with pytest.raises(UsageError, match="not an endpoint"):
        run_fake([], endpoints={"env": ""})
    with pytest.raises(UsageError, match="needs its server's token"):
        run_fake([], endpoints={"env": "127.0.0.1:9"})
    with pytest.raises(UsageError, match="`--env-python /nowhere/python` is not an executable file"):
        run_fake([], env_python="/nowhere/python")
    with pytest.raises(UsageError, match="does not work as a Python interpreter"):
        run_fake([], env_python="/bin/true")
    assert not (tmp_path / "runs").exists()


def test_a_service_that_cannot_start_leaves_a_readable_run(run_fake, tmp_path):
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho '[[3, 12], [\"numpy\"]]'\n")
    bare.chmod(0o755)
    outcome = run_fake(solution(), env_python=str(bare))
    assert outcome.exit_code == 3
    assert "lacks `numpy`" in outcome.detail
    manifest = RunDirectory(outcome.run_dir).read_manifest()
    assert manifest["outcome"]["reason"] == "infrastructure"
    assert manifest["outcome"]["benchmark_success"] is None


def test_an_attached_server_is_reset_and_left_running(run_fake):
    """Two runs over one server: each begins at its own episode's start, and neither stops the server."""
    server = serve("http://127.0.0.1:0", create(FakeEnvConfig()), token="t")
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        for task in (0, 2):
            outcome = run_fake(
                solution(task=task, seed=3),
                robot_config={"task": task, "seed": 3},
                endpoints={"env": str(server.endpoint)},
                token="t",
            )
            assert outcome.exit_code == 0, outcome.detail
            assert RunDirectory(outcome.run_dir).read_manifest()["services"]["env"]["owned"] is False
        assert thread.is_alive()
    finally:
        server.shutdown()
        thread.join(10)


def test_an_attached_server_of_another_schema_is_refused(run_fake):
    server = serve("http://127.0.0.1:0", replace(create(FakeEnvConfig()), schema=77), token="t")
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        outcome = run_fake(solution(), endpoints={"env": str(server.endpoint)}, token="t")
    finally:
        server.shutdown()
        thread.join(10)
    assert outcome.exit_code == 3
    assert "speaks schema 77; schema 1 is wanted" in outcome.detail


def test_an_attached_server_that_is_absent_is_infrastructure(run_fake):
    outcome = run_fake(solution(), endpoints={"env": "http://127.0.0.1:9"}, token="t")
    assert outcome.exit_code == 3
    assert "127.0.0.1:9" in outcome.detail


def test_cancel_ends_a_run_that_is_not_in_the_main_thread(run_fake):
    cancel = CancelToken()

    def stop(event):
        if event.type == "tool_called":
            cancel.cancel()

    outcome = run_fake(solution(), robot_config={"step_time_s": 0.05}, cancel=cancel, on_event=stop)
    assert outcome.exit_code == 130


class BrokenPlanner:
    def __init__(self, config):
        pass

    def run(self, session):
        raise KeyError("nothing here")


def test_a_planner_with_a_bug_leaves_a_readable_run(run_fake, monkeypatch):
    from rpent.testing import scripted_planner

    monkeypatch.setattr(scripted_planner, "ScriptedPlanner", BrokenPlanner)
    outcome = run_fake(solution())
    assert outcome.exit_code == 3
    assert "KeyError" in outcome.detail
    assert "Traceback" in (outcome.run_dir / "logs" / "run.log").read_text()
    assert "Traceback" not in (outcome.run_dir / "transcript.json").read_text()


def test_a_planner_that_returns_silently_ends_the_run(run_fake):
    outcome = run_fake([("look", {})])
    assert (outcome.reason, outcome.planner_status) == ("finished", None)
    assert "without calling `finish`" in outcome.detail


def test_events_are_numbered_without_gaps(run_fake):
    outcome = run_fake(solution())
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    assert [event.seq for event in events] == list(range(len(events)))
    assert events[0].type == "run_started"
    assert events[-1].type == "run_ended"


def test_a_full_disk_is_reported(run_fake, monkeypatch):
    from rpent.runs import steps

    real, count = steps.encode_pictures, [0]

    def fail(images, folder="", **keywords):
        count[0] += 1
        if count[0] > 3:
            raise_full()
        return real(images, folder, **keywords)

    def raise_full():
        raise RunDirectoryError("`steps/0003` cannot be written: No space left on device.")

    monkeypatch.setattr(steps, "encode_pictures", fail)
    outcome = run_fake(solution())
    assert outcome.exit_code == 3
    assert "No space left" in outcome.detail


def test_tokens_are_not_recorded(run_fake):
    outcome = run_fake([], endpoints={"env": "http://127.0.0.1:9"}, token="very-secret")
    for path in outcome.run_dir.rglob("*"):
        if path.is_file():
            assert b"very-secret" not in path.read_bytes(), path
