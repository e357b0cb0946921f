"""An env server that lives and does not answer: one that the run owns is replaced, another's is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from rpent.errors import ExitCode
from rpent.runs.events import read_events
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.session import calls
from rpent.testing.fake_robot.robot import ENV, SPEC, solution
from rpent.testing.registry import FakeRegistry, fake_specs

HANGING = replace(ENV, factory="hanging_env:create")


@pytest.fixture
def trap(tmp_path, monkeypatch) -> Path:
    """The file that makes the env server hang."""
    monkeypatch.setenv("RPENT_TEST_HANG", str(tmp_path / "trap"))
    monkeypatch.setenv("RPENT_TEST_LIMIT_S", "0.3")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    return tmp_path / "trap"


@pytest.fixture
def registry():
    return FakeRegistry({**fake_specs(), "robots": {"fake": replace(SPEC, services=(HANGING,))}})


def failures(outcome):
    events = read_events(outcome.run_dir / "events.jsonl")
    return [event.data["error"] for event in events if event.type == "tool_returned" and not event.ok]


def test_a_hung_service_of_the_run_is_replaced(run_fake, registry, trap, monkeypatch):
    monkeypatch.setenv("RPENT_TEST_LIMIT_S", "2")  # enough for the motions that do not hang
    pids, sprung = [], []

    def listen(event):
        if event.type == "service" and event.state == "ready":
            pids.append(event.pid)
        if event.type == "tool_called" and event.turn == 4 and not sprung:
            sprung.append(trap.write_text("once"))

    outcome = run_fake(solution(), registry=registry, on_event=listen)
    assert outcome.exit_code == ExitCode.SUCCESS, outcome.detail
    (error,) = failures(outcome)
    assert error == (
        "The service `env` hung and was restarted; the world is as it was after step 3. "
        "`move_to` had no effect; call it again."
    )
    (recovered,) = [e for e in read_events(outcome.run_dir / "events.jsonl") if e.type == "recovered"]
    assert recovered.detail == "Service `env` did not answer `servo` within 2 s."
    assert len(pids) == 2
    assert not psutil.pid_exists(pids[0])


def test_one_that_hangs_again_and_again_ends_the_run(run_fake, registry, trap, monkeypatch):
    trap.write_text("always")
    monkeypatch.setattr(calls, "MAX_RECOVERIES", 1)
    outcome = run_fake([("move_to", {"xyz": [0.1, 0.1, 0.2]})] * 6, registry=registry)
    assert outcome.exit_code == ExitCode.INFRASTRUCTURE
    assert outcome.detail == "Service `env` did not answer `servo` within 0.3 s."
    assert len(failures(outcome)) == 2


def test_only_the_service_that_hangs_is_replaced(run_fake, trap):
    config = "rpent.testing.fake_robot.config:FakeConfig"
    policy = replace(SPEC.services[1], factory="hanging_env:create_policy", config=config, optional=False)
    registry = FakeRegistry({**fake_specs(), "robots": {"fake": replace(SPEC, services=(ENV, policy))}})
    trap.write_text("once")
    outcome = run_fake([("ask_policy", {})], registry=registry)
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    replies = [event for event in events if event.type == "tool_returned" and event.name == "ask_policy"]
    assert replies[0].data["error"] == (
        "The service `vla` hung and was restarted. "
        "`ask_policy` may have had an effect: look at the state before you act again."
    )
    restarted = [e.service for e in events if e.type == "service" and e.state == "restarting"]
    assert restarted == ["vla"]
    assert replies[-1].data["action_dim"] == 4, "it is back"


@pytest.fixture
def endpoint(tmp_path, trap):
    """The env server of somebody else."""
    events = []
    with Supervisor(logs_dir=tmp_path / "logs", on_event=events.append) as supervisor:
        supervisor.start([ServiceRequest(spec=HANGING, transport="zmq+tcp", token="shared")])
        yield events[-1]["endpoint"]
        trap.with_name("released").touch()


def test_a_hung_service_of_somebody_else_is_reported_then_ends_the_run(run_fake, registry, trap, endpoint):
    trap.write_text("always")
    planned = [("move_to", {"xyz": [0.1, 0.1, 0.2]}), ("list_dir", {})] * 6
    outcome = run_fake(planned, registry=registry, endpoints={"env": endpoint}, token="shared")
    assert (outcome.reason, outcome.exit_code) == ("infrastructure", ExitCode.INFRASTRUCTURE)
    late = "Service `env` did not answer `servo` within 0.3 s."
    assert failures(outcome) == [
        f"{late} `move_to` may have had an effect: look at the state before you act again.",
        f"{late} `move_to` may have had an effect: look at the state before you act again.",
        f"{late} It left 3 calls in a row unanswered, and is not this run's to restart.",
    ]
    assert "rpent serve" in outcome.hint
