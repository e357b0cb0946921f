"""The session over HTTP: what the browser sends and gets, and the stream of states."""

from __future__ import annotations

import json
import threading
import time
from itertools import pairwise

import httpx
import numpy as np
import pytest
from rpent.testing.fake_robot.robot import FakeRobot
from rpent.testing.fake_robot.toolkit import FakeToolkit
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool
from rpent_dashboard.hosting.host import Host

from .conftest import registry


@pytest.fixture
def served(serve_with, tmp_path):
    """A dashboard with a host over the fake robot, and no session."""
    host = Host(tmp_path / "runs", registry=registry(primitives=("move_to",)))
    yield serve_with(hosted=host)
    host.close()


@pytest.fixture
def launch(post, env_server):
    """Open a session."""
    return lambda **values: post("/api/session", {**MANUAL, "endpoints": {"env": env_server()}, **values})


@pytest.fixture
def post(served):
    """POST JSON."""
    return lambda path, body=None: served.client.post(path, json={} if body is None else body)


MANUAL = {"robot": "fake", "planner": "manual", "robot_config": {"task": 1}, "video": False}


def session(served):
    return served.client.get("/api/session").json()["session"]


def wait(served, condition):
    deadline = time.monotonic() + 30
    while not condition(state := session(served)):
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    return state


def states(served, seen, stop):
    """Read the stream of states until it is told to stop."""
    with (
        httpx.Client(base_url=served.url, cookies=served.client.cookies, trust_env=False) as client,
        client.stream("GET", "/api/session/stream", timeout=30) as answer,
    ):
        for line in answer.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
            if stop(seen):
                return


def test_a_session_from_its_launch_to_its_end(served, post, launch):
    assert served.client.get("/api/me").json()["hosting"] is True
    assert served.client.get("/api/session").json() == {"session": None, "earlier": []}
    opened = launch()
    assert opened.status_code == 201
    assert opened.json()["schema"]["properties"]["task"]["default"] == 1
    assert opened.json()["dashboard"]["primitives"] == ["move_to"]
    assert {planner["name"] for planner in opened.json()["planners"]} >= {"manual", "scripted", "replay"}

    queued = post("/api/session/tasks", {"command": "/rpent-task seed=4"})
    assert (queued.status_code, queued.json()["values"]) == (202, {"seed": 4})
    wait(served, lambda state: state["can_call"])
    tools = {tool["name"]: tool for tool in served.client.get("/api/session/tools").json()}
    assert tools["move_to"]["schema"]["properties"]["xyz"]["type"] == "array"
    done = post("/api/session/calls", {"name": "move_to", "arguments": {"xyz": [0, 0, 0.2]}})
    assert (done.status_code, done.json()["ok"]) == (200, True)
    bad = post("/api/session/calls", {"name": "move_to", "arguments": {"xyz": [0, 0]}})
    assert (bad.status_code, bad.json()["error"]["field"]) == (422, "xyz")

    second = post("/api/session/tasks", {"values": {"task": 0}}).json()
    withdrawn = served.client.delete(f"/api/session/tasks/{second['id']}")
    assert withdrawn.json()["status"] == "withdrawn"
    assert post("/api/session/messages", {"text": "Well done."}).status_code == 202
    assert post(f"/api/session/tasks/{queued.json()['id']}/stop").status_code == 202
    wait(served, lambda state: state["current"] is None)
    assert post(f"/api/session/tasks/{queued.json()['id']}/again").json()["values"] == {"seed": 4}

    name = session(served)["name"]
    assert post("/api/session/close").status_code == 202
    wait(served, lambda state: state is None)
    assert [earlier["name"] for earlier in served.client.get("/api/session").json()["earlier"]] == [name]
    assert post("/api/session/continue", {"name": name}).json()["name"] == name


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({**MANUAL, "robot_config": {"task": 9}}, "robot_config.task"),
        ({**MANUAL, "robot_config": {"tsak": 1}}, "robot_config.tsak"),
        ({**MANUAL, "planner": "nobody"}, "planner"),
        ({**MANUAL, "robot": "nobody"}, "robot"),
        ({**MANUAL, "planner_config": {"model": "x"}}, "planner_config.model"),
        ({**MANUAL, "limits": {"max_turns": 0}}, "limits.max_turns"),
        ({**MANUAL, "limits": {"max_turns": "many"}}, "limits.max_turns"),
        ({**MANUAL, "limits": {"turns": 1}}, "limits.turns"),
        ({**MANUAL, "output_dir": "/tmp"}, "output_dir"),
        ({"robot": "fake"}, "planner"),
    ],
)
def test_a_bad_value_opens_nothing(served, post, body, field):
    answer = post("/api/session", body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["field"] == field
    assert error["message"].endswith((".", "?"))
    assert "\n" not in error["message"]
    assert served.client.get("/api/session").json() == {"session": None, "earlier": []}


def test_without_a_session_there_is_nothing_to_steer(served, post):
    for path, body in (
        ("/api/session/tasks", {"command": "/rpent-task"}),
        ("/api/session/messages", {"text": "Hello"}),
        ("/api/session/interrupt", {}),
        ("/api/session/calls", {"name": "look"}),
        ("/api/session/close", {}),
    ):
        assert post(path, body).status_code == 409
    assert post("/api/session/continue", {"name": "../runs"}).status_code == 404
    assert served.client.get("/api/session/tools").json() == []
    assert (
        served.client.get("/api/session/complete", params={"text": "/", "cursor": 1}).json()["options"] == []
    )


def test_a_second_session_is_refused(launch):
    assert launch().status_code == 201
    assert launch().status_code == 409


def test_two_browsers_see_the_same_and_the_last_state_always_comes(served, post, launch):
    seen = ([], [])

    def over(states_seen):
        return len(states_seen) > 1 and states_seen[-1] is None

    readers = [threading.Thread(target=states, args=(served, part, over)) for part in seen]
    for reader in readers:
        reader.start()
    while not all(seen):
        time.sleep(0.02)
    launch(planner="scripted", planner_config={"calls": [["look", {}]]})
    post("/api/session/tasks", {"values": {}})
    wait(served, lambda state: state["tasks"] and state["tasks"][0]["status"] == "ended")
    post("/api/session/close")
    for reader in readers:
        reader.join(20)
        assert not reader.is_alive()
    for part in seen:
        assert part[0] is None
        ended = [state for state in part if state and state["tasks"]][-1]
        assert ended["tasks"][0]["status"] == "ended"
        for before, after in pairwise(part):
            assert before != after, "a state that did not change was sent again"


def test_what_can_be_launched(served):
    found = served.client.get("/api/launch").json()
    robots = {robot["name"]: robot for robot in found["robots"]}
    assert robots["fake"]["schema"]["properties"]["task"]["maximum"] == 2
    assert robots["fake"]["dashboard"]["primitives"] == ["move_to"]
    assert found["limits"]["max_turns"] == 100
    planners = {planner["name"]: planner for planner in found["planners"]}
    assert planners["manual"]["uses_model"] is False
    assert found["models"] == []


def test_a_broken_plugin_is_shown_with_its_failure(serve_with, tmp_path, plugin_site):
    plugin_site.add_robot("ill", source="raise RuntimeError('It is ill.')")
    served = serve_with(hosted=Host(tmp_path / "runs", registry=registry()))
    robots = {robot["name"]: robot for robot in served.client.get("/api/launch").json()["robots"]}
    assert "It is ill." in robots["ill"]["problem"]
    assert robots["ill"]["schema"] is None
    assert robots["fake"]["problem"] == ""


def test_a_dashboard_that_starts_nothing_says_so_once(serve):
    assert serve.client.get("/api/session").json() == {"session": None, "earlier": []}
    assert "event: end" in serve.client.get("/api/session/stream").text
    assert serve.client.get("/api/launch").status_code == 409
    assert serve.client.post("/api/session", json=MANUAL).status_code == 405


class OddTools(FakeToolkit):
    """A tool whose data are no JSON as they are."""

    @tool(readonly=True)
    def measure(self) -> ToolResult:
        """Measure."""
        return ToolResult(
            data={"force_n": np.float32(0.5), "drift": float("nan"), "at": np.zeros(2), "label": "a\ud800"}
        )


class OddRobot(FakeRobot):
    """The fake robot with that tool."""

    def toolkit(self, context):
        return OddTools(context)


def test_whatever_a_tool_returns_the_answer_is_json(serve_with, tmp_path, env_server, module):
    host = Host(tmp_path / "runs", registry=registry(robot=f"{module(Robot=OddRobot)}:Robot"))
    served = serve_with(hosted=host)
    try:
        served.client.post("/api/session", json={**MANUAL, "endpoints": {"env": env_server()}})
        served.client.post("/api/session/tasks", json={})
        wait(served, lambda state: state["can_call"])
        answer = served.client.post("/api/session/calls", json={"name": "measure"})
        assert answer.status_code == 200
        measured = answer.json()["data"]
    finally:
        host.close()
    assert measured == {"force_n": 0.5, "drift": None, "at": [0.0, 0.0], "label": "a\ufffd"}
