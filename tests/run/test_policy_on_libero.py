"""A policy server is killed while it drives the real simulator; the run goes on and solves the task."""

from __future__ import annotations

import os
import signal

import pytest
from rpent.errors import ExitCode
from rpent.policies.api import CameraInput, Signature
from rpent.run import RunRequest, execute
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.testing.policies.fake import make_checkpoint
from rpent.testing.registry import FakeRegistry

pytestmark = pytest.mark.sim

SIGNATURE = Signature(
    family="fake",
    cameras={"agentview": CameraInput(height=64, width=64), "wrist": CameraInput(height=64, width=64)},
    state={"eef_position": 3, "eef_quaternion": 4, "gripper_qpos": 2},
    action={"eef_position_delta": 3, "eef_rotation_delta": 3, "gripper": 1},
    chunk_length=8,
    execute_steps=4,
    robot="libero",
    layout="native",
)
CALLS = [
    ("vla_do", {"prompt": "pick up the salad dressing and place it in the basket", "max_chunks": 100}),
    ("pi0_doubled", {"prompt": "pick up the salad dressing and place it in the basket", "max_chunks": 2}),
    ("release", {}),
    ("grasp", {"target": "salad dressing"}),
    ("place", {"on": "basket", "relation": "in"}),
    ("finish", {"status": "success", "summary": "The salad dressing is in the basket."}),
]


def test_the_policy_server_is_killed_in_the_middle_of_a_skill(tmp_path):
    pids, killed = {}, []

    def kill(event):
        if event.type == "service" and event.state == "ready":
            pids[event.service] = event.pid
        if event.type == "tool_progress" and not killed:
            killed.append(pids["vla"])
            os.kill(pids["vla"], signal.SIGKILL)

    checkpoint = make_checkpoint(tmp_path / "checkpoint", SIGNATURE)
    request = RunRequest(
        robot="libero",
        robot_config={"suite": "libero_object_swap", "task": 2, "seed": 0},
        planner="scripted",
        planner_config={"calls": CALLS, "retry": False},
        policy="fake",
        policy_config={"checkpoint": str(checkpoint)},
        output_dir=tmp_path / "runs",
        progress="quiet",
    )
    outcome = execute(request, registry=FakeRegistry(), on_event=kill)
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    replies = {event.name: event for event in events if event.type == "tool_returned"}
    lost = replies["vla_do"]
    assert "The service `vla` crashed and was restarted." in lost.data["error"]
    assert "control steps, which stay done" in lost.data["error"]
    assert lost.data["observation"]["step"] > 0, "the simulator was not put back"
    assert lost.step == 1
    assert replies["pi0_doubled"].data["steps"] == 8
    assert replies["pi0_doubled"].env_steps == lost.data["observation"]["step"] + 8
    restarted = [event.service for event in events if event.type == "service" and event.state == "restarting"]
    assert restarted == ["vla"]
    assert outcome.exit_code == ExitCode.SUCCESS, outcome.detail
    policy = RunDirectory(outcome.run_dir).read_manifest()["policy"]
    assert policy["served"]["backend"] == "fake"
    assert policy["served"]["layout"] == "native"
