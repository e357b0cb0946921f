"""A learned policy as a tool of a run, in a process of its own: it works, it fails in every way, the run goes on."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from rpent.errors import ExitCode
from rpent.policies.chosen import ChosenPolicy
from rpent.policies.client import PolicyClient, Wanted
from rpent.policies.server import PolicyServerConfig, create
from rpent.rpc.api import connect, serve
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.testing.fake_robot.embodiment import FAKE
from rpent.testing.fake_robot.robot import solution
from rpent.testing.policies.fake import SPEC, make_checkpoint

PICK = ("vla_pick", {"prompt": "pick up the red cube"})
DO = ("vla_do", {"prompt": "wave", "max_chunks": 3})
CHUNK = 4
"""Actions that are carried out of a chunk of the backend `fake`."""
SLOW = {"step_time_s": 0.05}


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")


def served(checkpoint, **options):
    """The configuration of a policy server that gives up on an answer soon."""
    return ChosenPolicy(
        spec=SPEC, config=None, values={"checkpoint": str(checkpoint), **options}, embodiment=FAKE
    ).server_config() | {"infer_timeout_s": 1.0}


@pytest.fixture
def impatient(monkeypatch):
    """Policy servers of runs that tell their clients to wait for a second only."""
    usual = ChosenPolicy.server_config
    monkeypatch.setattr(ChosenPolicy, "server_config", lambda self: usual(self) | {"infer_timeout_s": 1.0})


@dataclass
class Seen:
    """What a run did."""

    outcome: Any
    events: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, outcome):
        return cls(outcome, list(read_events(outcome.run_dir / "events.jsonl")))

    def returned(self, name):
        return [event for event in self.events if event.type == "tool_returned" and event.name == name]

    @property
    def restarts(self):
        return [e.service for e in self.events if e.type == "service" and e.state == "restarting"]


def test_a_policy_picks_a_cube_up(run_fake):
    seen = Seen.of(run_fake([PICK], policy="cubes", policy_config={"checkpoint": "none"}))
    (pick,) = seen.returned("vla_pick")
    assert pick.data["held"], pick.data
    assert pick.data["stopped"] == "done"
    assert pick.data["lifted_m"] >= 0.05
    assert pick.data["gripper_opening_m"] == 0.04
    assert pick.step == 1, "it ends with a fresh observation"
    manifest = RunDirectory(seen.outcome.run_dir).read_manifest()
    assert manifest["policy"]["served"]["backend"] == "cubes"
    assert any(event.type == "tool_progress" and event.data["chunk"] == 1 for event in seen.events)


def test_it_picks_nothing_up_where_nothing_is(run_fake):
    nothing = ("vla_pick", {"prompt": "pick up the purple cube"})
    seen = Seen.of(run_fake([nothing], policy="cubes", policy_config={"checkpoint": "none"}))
    (pick,) = seen.returned("vla_pick")
    assert not pick.data["held"]
    assert pick.data["reason"] == "the fingers are open; it made no progress: hand and fingers stood still"


def test_without_a_policy_its_tools_are_not_offered(run_fake):
    (refused,) = Seen.of(run_fake([PICK])).returned("vla_pick")
    assert "There is no tool `vla_pick`" in refused.data["error"]


def test_the_env_server_may_be_killed_under_a_policy(run_fake):
    pids, killed = {}, []

    def kill(event):
        if event.type == "service" and event.state == "ready":
            pids[event.service] = event.pid
        if event.type == "tool_progress" and not killed:
            killed.append(pids["env"])
            os.kill(pids["env"], signal.SIGKILL)

    options = {"policy": "cubes", "policy_config": {"checkpoint": "none"}, "robot_config": SLOW}
    seen = Seen.of(run_fake([PICK], on_event=kill, **options))
    lost, again = seen.returned("vla_pick")
    assert (
        "the world is as it was after step 0. `vla_pick` had no effect; call it again." in lost.data["error"]
    )
    assert lost.step is None
    assert again.data["held"], "the script calls it again"
    assert seen.restarts == ["env"]


ANSWERED = {
    "error": "failed: RuntimeError: mat1 and mat2 shapes cannot be multiplied",
    "oom": "memory",
    "nan": "NaN",
    "wrong_shape": "shape",
    "wrong_length": "7",
    "no_array": "array",
}


@pytest.mark.parametrize("failure", ANSWERED)
def test_a_bad_answer_is_a_tool_error(run_fake, checkpoint, failure):
    options = {"checkpoint": str(checkpoint), "failure": failure, "fail_from": 3, "fail_times": 1}
    seen = Seen.of(run_fake([DO, DO, *solution()], policy="fake", policy_config=options))
    failed, again = seen.returned("vla_do")
    assert ANSWERED[failure] in failed.data["error"], failed.data
    assert f"The {2 * CHUNK} control steps before that stay done." in failed.data["error"]
    assert "Traceback" not in failed.text
    assert failed.step == 1, "what was carried out is observed"
    assert (again.data["stopped"], again.data["steps"]) == ("chunks", 3 * CHUNK)
    assert not seen.restarts
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


@pytest.mark.parametrize(
    ("failure", "end"), [("crash", "crashed"), ("oom_killed", "crashed"), ("hang", "hung")]
)
@pytest.mark.usefixtures("impatient")
def test_a_policy_server_of_the_run_is_restarted(run_fake, checkpoint, failure, end):
    options = {"checkpoint": str(checkpoint), "failure": failure, "fail_from": 3}
    short = ("vla_do", {"prompt": "wave", "max_chunks": 2})
    calls = {"calls": [DO, short, *solution()], "retry": False}
    seen = Seen.of(run_fake([], planner_config=calls, policy="fake", policy_config=options))
    failed, again = seen.returned("vla_do")
    assert failed.data["error"] == (
        f"The service `vla` {end} and was restarted. "
        f"`vla_do` had carried out {2 * CHUNK} control steps, which stay done: look before you go on."
    )
    assert failed.step == 1
    assert failed.data["observation"]["env_step"] == 2 * CHUNK, "the world stays as it is"
    assert again.data["steps"] == 2 * CHUNK
    assert seen.restarts == ["vla"]
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


def test_a_policy_server_that_dies_each_time_is_left_alone(run_fake, checkpoint):
    options = {"checkpoint": str(checkpoint), "failure": "crash"}
    calls = {"calls": [DO] * 5 + solution(), "retry": False}
    seen = Seen.of(run_fake([], planner_config=calls, policy="fake", policy_config=options))
    errors = [event.data["error"] for event in seen.returned("vla_do")]
    assert ["was restarted." in error for error in errors] == [True, True, True, False, False]
    assert "crashed again after 3 restarts, and is left alone now. Do without its tools." in errors[-1]
    assert seen.restarts == ["vla"] * 3
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


def test_a_policy_server_that_does_not_start_again_is_done_without(run_fake, checkpoint):
    options = {"checkpoint": str(checkpoint), "failure": "crash"}

    def lose(event):
        if event.type == "tool_called" and event.name == "vla_do":
            (checkpoint / "signature.json").unlink()

    seen = Seen.of(run_fake([DO, *solution()], policy="fake", policy_config=options, on_event=lose))
    (failed,) = seen.returned("vla_do")
    assert "crashed and cannot be started again: Service `vla` did not start:" in failed.data["error"]
    assert "is no checkpoint of `fake`" in failed.data["error"]
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


@pytest.fixture
def policy_server(tmp_path, checkpoint):
    """Start policy servers of somebody else: returns the supervisor and the endpoint."""
    with Supervisor(logs_dir=tmp_path / "logs", on_event=lambda _: None) as supervisor:

        def start(**options):
            config = served(checkpoint, **options)
            request = ServiceRequest(spec=SPEC.service, config=config, transport="zmq+tcp", token="shared")
            events = []
            supervisor._on_event = events.append
            supervisor.start([request])
            return supervisor, events[-1]["endpoint"]

        yield start


@pytest.mark.parametrize("failure", ["crash", "hang", "nan"])
def test_a_failing_policy_server_of_somebody_else_is_reported_and_the_run_goes_on(
    run_fake, policy_server, failure
):
    _, endpoint = policy_server(failure=failure, fail_from=3)
    seen = Seen.of(run_fake([DO, DO, *solution()], endpoints={"vla": endpoint}, token="shared"))
    failed, again = seen.returned("vla_do")
    assert f"{2 * CHUNK} control steps" in failed.data["error"]
    if failure != "nan":
        assert (
            "The server is not this run's to restart. Use other tools, or try again later."
            in failed.data["error"]
        )
    assert failed.step == 1
    assert "error" in again.data
    assert seen.restarts == []
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


def test_a_policy_server_of_somebody_else_that_is_gone_is_reported(run_fake, policy_server):
    supervisor, endpoint = policy_server()
    killed = []

    def kill(event):
        if event.type == "tool_returned" and event.name == "vla_do" and not killed:
            os.kill(supervisor.pid("vla"), signal.SIGKILL)
            killed.append(event)

    calls = [DO, DO, *solution()]
    seen = Seen.of(run_fake(calls, endpoints={"vla": endpoint}, token="shared", on_event=kill))
    first, second = seen.returned("vla_do")
    assert first.ok
    assert "not this run's to restart" in second.data["error"]
    assert second.step is None, "nothing moved"
    assert seen.outcome.exit_code == ExitCode.SUCCESS, seen.outcome.detail


def test_one_that_was_restarted_between_calls_goes_on_answering(checkpoint, tmp_path):
    endpoint, client, threads = f"zmq+ipc://{tmp_path}/vla", None, []
    for _ in range(2):
        server = serve(endpoint, create(PolicyServerConfig(**served(checkpoint))), token="t")
        threads.append(threading.Thread(target=server.run))
        threads[-1].start()
        client = client or PolicyClient(connect(endpoint, token="t"))
        try:
            wanted = Wanted.of(client.describe())
            client.reset("a", 1)
            pictures = {name: np.zeros((*size, 3), np.uint8) for name, size in wanted.cameras.items()}
            seen = {"images": pictures, "state": {"eef_position": np.zeros(3)}}
            assert client.infer(seen, "wave", episode="a", wanted=wanted).shape == (8, 4)
        finally:
            server.shutdown()
            threads[-1].join()
    client.channel.close()
