"""Runs one after another over one policy server: the env server is fresh for each, the policy is kept."""

from __future__ import annotations

import os
import signal
from typing import Any

import psutil
import pytest
from rpent.cancel import CancelToken
from rpent.run import Explore, RunRequest, execute, explore
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.services.lent import KEPT
from rpent.services.shared import SharedServices
from rpent.testing.fake_robot.robot import solution
from rpent.testing.policies.fake import make_checkpoint
from rpent.testing.registry import FakeRegistry

PICK = ("vla_pick", {"prompt": "pick up the red cube"})
CUBES = {"policy": "cubes", "policy_config": {"checkpoint": "none"}}


@pytest.fixture
def heard():
    return []


@pytest.fixture
def shared(tmp_path, heard):
    with SharedServices(tmp_path / "shared-logs", heard.append) as services:
        yield services


@pytest.fixture
def run(tmp_path, shared):
    def run(calls, **changes: Any):
        keywords = {name: changes.pop(name) for name in ("on_event", "cancel") if name in changes}
        request = RunRequest(
            robot="fake",
            planner="scripted",
            planner_config={"calls": calls},
            output_dir=tmp_path / "runs",
            progress="quiet",
            **{**CUBES, **changes},
        )
        return execute(request, registry=FakeRegistry(), shared=shared, **keywords)

    return run


def services(outcome, name):
    return [
        e for e in read_events(outcome.run_dir / "events.jsonl") if e.type == "service" and e.service == name
    ]


def pids(outcome, name):
    return [e.pid for e in services(outcome, name) if e.state == "ready"]


def returned(outcome, name="vla_pick"):
    events = read_events(outcome.run_dir / "events.jsonl")
    return [e for e in events if e.type == "tool_returned" and e.name == name]


def test_two_runs_have_one_policy_server_and_an_env_server_each(run, heard):
    first, second = run([PICK]), run([PICK])
    assert [returned(outcome)[0].data["held"] for outcome in (first, second)] == [True, True]
    assert pids(first, "vla") == pids(second, "vla")
    assert len({*pids(first, "env"), *pids(second, "env")}) == 2
    assert not any(psutil.pid_exists(pid) for pid in [*pids(first, "env"), *pids(second, "env")])
    assert psutil.pid_exists(pids(first, "vla")[0])
    assert [(e["service"], e["state"]) for e in heard if e["state"] != "loading"] == [
        ("vla", "starting"),
        ("vla", "ready"),
    ]


def test_the_record_of_the_second_run_says_that_it_was_kept(run):
    outcome = [run([PICK]), run([PICK])][-1]
    (ready,) = services(outcome, "vla")
    assert (ready.state, ready.detail) == ("ready", KEPT)
    entry = RunDirectory(outcome.run_dir).read_manifest()["services"]
    assert (entry["vla"]["shared"], entry["vla"]["owned"], entry["vla"]["detail"]) == (True, True, KEPT)
    assert entry["vla"]["endpoint"] == ready.endpoint
    assert entry["env"]["shared"] is False
    assert RunDirectory(outcome.run_dir).read_manifest()["policy"]["served"]["backend"] == "cubes"


def test_killed_between_two_runs_it_is_started_again(run, shared):
    first = run([PICK])
    os.kill(pids(first, "vla")[0], signal.SIGKILL)
    second = run([PICK])
    assert returned(second)[0].data["held"]
    assert pids(second, "vla") != pids(first, "vla")


def test_killed_during_a_run_it_is_brought_back_by_the_run_and_kept(run, heard):
    def kill(event):
        if event.type == "tool_called" and event.name == "vla_pick" and not killed:
            killed.append(heard[-1]["pid"])
            os.kill(killed[0], signal.SIGKILL)

    killed: list[int] = []
    outcome = run([PICK, PICK], on_event=kill)
    assert returned(outcome)[-1].data["held"]
    states = [e.state for e in services(outcome, "vla") if e.state != "loading"]
    assert states == ["starting", "ready", "crashed", "restarting", "ready"]
    assert [e.service for e in read_events(outcome.run_dir / "events.jsonl") if e.type == "recovered"] == [
        "vla"
    ]
    after = run([PICK])
    assert pids(after, "vla") == pids(outcome, "vla")[-1:]
    assert returned(after)[0].data["held"]


def test_another_checkpoint_replaces_it(run, heard):
    first = run([PICK])
    second = run([PICK], policy_config={"checkpoint": "another"})
    assert pids(first, "vla") != pids(second, "vla")
    assert not psutil.pid_exists(pids(first, "vla")[0])
    states = [e["state"] for e in heard if e["state"] != "loading"]
    assert states == ["starting", "ready", "stopped", "starting", "ready"]


def test_a_run_that_is_stopped_while_it_loads_leaves_it_to_the_next(run, heard, tmp_path):
    cancel = CancelToken()

    def stop(event):
        if event.type == "service" and event.service == "vla" and event.state == "starting":
            cancel.cancel("Stopped.")

    slow = {"policy": "fake", "policy_config": {"checkpoint": str(make_checkpoint(tmp_path)), "load_s": 2.0}}
    stopped = run([], on_event=stop, cancel=cancel, **slow)
    assert (stopped.reason, stopped.detail) == ("interrupted", "Stopped.")
    assert "ready" not in [e["state"] for e in heard]
    after = run([("look", {})], **slow)
    states = [e.state for e in services(after, "vla") if e.state != "loading"]
    assert states == ["starting", "ready"]
    assert [e["state"] for e in heard if e["state"] != "loading"] == ["starting", "ready"]


def test_a_run_without_a_policy_leaves_it_alone(run):
    first = run([PICK])
    other = run(solution(), policy=None, policy_config={})
    assert other.benchmark_success
    assert not services(other, "vla")
    assert pids(run([PICK]), "vla") == pids(first, "vla")


def test_close_ends_it(run, shared):
    outcome = run([PICK])
    shared.close()
    assert not psutil.pid_exists(pids(outcome, "vla")[0])
    refused = run([PICK])
    assert refused.reason == "infrastructure"
    assert "the shared services were closed" in refused.detail


def test_the_sessions_of_an_exploration_share_it(tmp_path):
    request = RunRequest(
        robot="fake",
        planner="scripted",
        planner_config={"calls": [PICK, ("finish", {"status": "failure", "summary": "Given up."})]},
        output_dir=tmp_path / "runs",
        progress="quiet",
        explore=Explore(attempts=1, sessions=2),
        **CUBES,
    )
    done = explore(request, registry=FakeRegistry())
    first, second = done.outcomes
    assert pids(first, "vla") == pids(second, "vla")
    assert not psutil.pid_exists(pids(first, "vla")[0])
    assert (done.folder / "logs" / "vla.log").is_file()
