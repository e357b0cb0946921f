"""A session over the simulator: a motion is interrupted, flash goes on, and the next task follows."""

from __future__ import annotations

import os
import signal
import time

import pytest
from rpent.runs import events as ev
from rpent.runs.events import read_events

from .processes import DashboardProcess

pytestmark = pytest.mark.sim


def test_a_session_over_libero(tmp_path):
    task = ("--suite", "libero_object_swap", "--task", "2", "--planner", "flash", "--no-video")
    serve = ("--dashboard", "--dashboard-port", "0")
    command = ("run", "--robot", "libero", *task, *serve)
    with DashboardProcess(*command, cwd=tmp_path, HOME=os.environ["HOME"]) as rpent:
        rpent.post("/tasks", {"command": "/rpent-task libero_object_swap 99"}, status=422)
        rpent.post("/tasks", {"command": "/rpent-task task=2 seed=1"})
        state = rpent.wait(lambda state: state["tasks"][0]["status"] == "running", 200)
        assert state["dashboard"]["task_fields"] == ["suite", "task", "seed"]
        run = tmp_path / "runs" / state["tasks"][0]["run"].replace("~", "/")

        def of(kind):
            return [event for event in read_events(run / "events.jsonl") if isinstance(event, kind)]

        while not of(ev.FrameShown):  # it is moving
            time.sleep(0.05)
        began = time.monotonic()
        rpent.post("/interrupt")
        rpent.wait_for("awaiting")
        assert time.monotonic() - began < 2
        assert of(ev.ToolReturned)[-1].cancelled

        options = rpent.client.get(
            "/api/session/complete", params={"text": "/rpent-task libero_object_swap ", "cursor": 31}
        ).json()["options"]
        assert "salad dressing" in options[2]["label"]
        moved = rpent.post("/calls", {"name": "set_gripper", "arguments": {"gripper": "open"}}, status=200)
        assert moved["ok"], moved
        bad = rpent.post("/calls", {"name": "set_gripper", "arguments": {"gripper": "ajar"}}, status=422)
        assert bad["error"]["field"] == "gripper"

        rpent.post("/messages", {"text": "Go on."})
        state = rpent.wait(lambda state: all(task["ended_at"] for task in state["tasks"]), 280)
        assert [task["status"] for task in state["tasks"]] == ["ended", "ended"]
        assert state["tasks"][1]["outcome"] == "success"
        rpent.signal(signal.SIGTERM)
        assert rpent.leave() == 0
        assert rpent.group() == []
