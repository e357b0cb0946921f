"""Sessions in real processes: `--dashboard` with an LLM planner, a shared policy server, signals, kill -9."""

from __future__ import annotations

import json
import signal
import time

import pytest
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.testing.models import Call, ModelServer, Reply

from .processes import DashboardProcess, eventually

FAR = [Call("move_to", {"xyz": [0.3, 0.3, 0.3]})]
SERVE = ("--dashboard", "--dashboard-port", "0")
FAKE = ("run", "--robot", "fake", "--no-video")


STUBBORN = """
from rpent.api import PlannerSpec, hookimpl

PLUGIN_API = 1


@hookimpl
def rpent_planners():
    yield PlannerSpec(
        name="stubborn", summary="Does not end.", planner="stubborn_plugin:Planner", config="stubborn_plugin:Config"
    )


def __getattr__(name):
    import time

    from pydantic import BaseModel

    class Config(BaseModel):
        pass

    class Planner:
        def __init__(self, config):
            pass

        def run(self, session):
            session.begin_turn()
            time.sleep(120)

    return {"Config": Config, "Planner": Planner}[name]
"""


def finish(status="success"):
    return Reply(calls=[Call("finish", {"status": status, "summary": "Done."})])


@pytest.fixture
def start(plugin_site, tmp_path):
    """Return a function that starts a command; the fake robot and its policy are installed."""
    plugin_site.add_fake_robot()
    plugin_site.add(
        "rpent-policy-cubes",
        entry_points={"rpent.policies": {"cubes": "cubes_plugin"}},
        modules={
            "cubes_plugin.py": """
            from rpent.api import hookimpl

            PLUGIN_API = 1


            @hookimpl
            def rpent_policies():
                from rpent.testing.fake_robot.policy import SPEC

                yield SPEC
            """
        },
    )
    running = []

    def started(*arguments, **env):
        process = DashboardProcess(*arguments, cwd=tmp_path, **env)
        running.append(process)
        return process

    yield started
    for process in running:
        process.__exit__()


@pytest.fixture
def with_model(start):
    """Return a function that starts a session of the planner `api` over a scripted model."""
    servers = []

    def started(script, *options):
        server = ModelServer(script, key="test-key")
        server.__enter__()
        servers.append(server)
        model = ("--planner", "api", "--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1")
        return start(*FAKE, *model, *SERVE, *options, OPENAI_API_KEY="test-key"), server

    yield started
    for server in servers:
        server.__exit__(None, None, None)


def told(request):
    return json.dumps(request.body)


def events_of(tmp_path, task):
    return list(read_events(tmp_path / "runs" / task["run"].replace("~", "/") / "events.jsonl"))


def test_a_message_reaches_the_model(with_model, tmp_path):
    rpent, server = with_model([Reply(text="What shall I do?"), finish()], "--task", "1")
    state = rpent.wait_for("awaiting")
    assert state["model"] == "openai-chat:test-model"
    assert [task["values"] for task in state["tasks"]] == [{}]
    assert rpent.client.get("/api/me").json()["one_session"] is True
    rpent.post("/messages", {"text": "Say that it is <b>done</b>."})
    state = rpent.wait_idle()
    assert "Say that it is <b>done</b>." in told(server.requests[1])
    assert "Say that" not in told(server.requests[0])
    assert state["pending_messages"] == 0
    events = events_of(tmp_path, state["tasks"][0])
    assert [event.count for event in events if isinstance(event, ev.MessagesDelivered)] == [1]
    rpent.post("/close")
    assert rpent.leave() == 1  # the planner says so, the benchmark does not


def test_an_interrupt_stops_the_motion_and_the_user_acts(with_model, tmp_path):
    rpent, server = with_model([Reply(calls=FAR), finish("stuck")], "--task", "0", "--step-time-s", "0.3")
    state = rpent.wait(
        lambda state: state["tasks"] and state["tasks"][0]["run"] and state["activity"] == "busy"
    )
    task = state["tasks"][0]
    rpent.until(lambda: any(isinstance(event, ev.ToolCalled) for event in events_of(tmp_path, task)))
    rpent.post("/calls", {"name": "finish", "arguments": {"status": "stuck"}}, status=409)
    began = time.monotonic()
    rpent.post("/interrupt")
    rpent.wait_for("awaiting")
    assert time.monotonic() - began < 2
    assert len(server.requests) == 1
    rpent.post("/messages", {"text": "That is enough."})
    rpent.wait_idle()
    assert "That is enough." in told(server.requests[1])
    (returned,) = (
        event
        for event in events_of(tmp_path, task)
        if isinstance(event, ev.ToolReturned) and event.name == "move_to"
    )
    assert returned.cancelled


def test_what_the_user_does_meanwhile_is_told_to_the_model(with_model):
    rpent, server = with_model([Reply(text="Show me."), finish()], "--task", "0")
    rpent.wait_for("awaiting")
    tools = [tool["name"] for tool in rpent.client.get("/api/session/tools").json()]
    assert "finish" in tools
    assert "move_to" in tools
    done = rpent.post("/calls", {"name": "move_to", "arguments": {"xyz": [0.0, 0.0, 0.25]}}, status=200)
    assert done["ok"]
    rpent.post("/messages", {"text": "There it is."})
    rpent.wait_idle()
    assert "move_to" in told(server.requests[1])
    assert "There it is." in told(server.requests[1])


def test_another_model_for_the_next_task(with_model):
    rpent, server = with_model(lambda request: finish(), "--task", "0")
    rpent.wait_idle()
    rpent.post(
        "/tasks",
        {
            "values": {"task": 2},
            "planner": "api",
            "planner_config": {"model": "openai-chat:other-model", "check": False},
        },
    )
    server.models = ("test-model", "other-model")
    state = rpent.wait_idle()
    assert [task["model"] for task in state["tasks"]] == ["openai-chat:test-model", "openai-chat:other-model"]
    assert [request.body["model"] for request in server.requests] == ["test-model", "other-model"]


def test_two_tasks_share_one_policy_server(start, tmp_path):
    policy = ("--policy", "cubes", "--checkpoint", str(tmp_path))
    rpent = start(*FAKE, "--planner", "manual", *policy, "--task", "0", *SERVE)
    for task in (0, 1):
        rpent.wait_for("awaiting")
        done = rpent.post("/calls", {"name": "ask_policy"}, status=200)
        assert done["ok"], done
        rpent.post("/calls", {"name": "finish", "arguments": {"status": "stuck"}}, status=200)
        rpent.wait_idle()
        (shared,) = (service for service in rpent.state["services"] if service["service"] == "vla")
        assert (shared["shared"], shared["state"]) == (True, "ready")
        if task == 0:
            rpent.post("/tasks", {"command": "/rpent-task 1"})
    journal = (tmp_path / "runs" / rpent.state["name"] / "session.jsonl").read_text().splitlines()
    states = [entry["state"] for entry in map(json.loads, journal) if entry["type"] == "service"]
    assert states.count("ready") == 1
    assert states.count("starting") == 1
    rpent.signal(signal.SIGTERM)
    assert rpent.leave() == 1
    assert rpent.group() == []


def test_ctrl_c_ends_the_task_in_order(start, tmp_path):
    rpent = start(*FAKE, "--planner", "manual", "--task", "0", *SERVE)
    rpent.wait_for("awaiting")
    rpent.post("/tasks", {"command": "/rpent-task 1"})
    run = tmp_path / "runs" / rpent.state["tasks"][0]["run"].replace("~", "/")
    rpent.signal(signal.SIGINT)
    assert rpent.leave() == 130
    assert json.loads((run / "run.json").read_text())["outcome"]["reason"] == "interrupted"
    assert rpent.group() == []


def test_a_second_ctrl_c_does_not_wait_for_a_planner(start, plugin_site, tmp_path):
    plugin_site.add(
        "rpent-planner-stubborn",
        entry_points={"rpent.planners": {"stubborn": "stubborn_plugin"}},
        modules={"stubborn_plugin.py": STUBBORN},
    )
    rpent = start(*FAKE, "--planner", "stubborn", "--task", "0", *SERVE)
    state = rpent.wait_for("busy")
    rpent.signal(signal.SIGINT)
    rpent.until(
        lambda: any(isinstance(event, ev.SessionEnded) for event in events_of(tmp_path, state["tasks"][0]))
    )
    rpent.signal(signal.SIGINT)
    assert rpent.leave(20) == 130  # a planner has 30 s
    assert rpent.group() == []


def test_ctrl_c_while_nothing_runs(start):
    rpent = start(*FAKE, "--planner", "manual", *SERVE)
    assert rpent.state["tasks"] == []
    rpent.signal(signal.SIGINT)
    assert rpent.leave() == 0


def test_after_a_kill_the_session_goes_on_in_another_process(start, tmp_path):
    rpent = start(*FAKE, "--planner", "manual", "--task", "0", *SERVE)
    rpent.wait_for("awaiting")
    rpent.post("/tasks", {"command": "/rpent-task 2 seed=7"})
    name = rpent.state["name"]
    rpent.process.kill()
    rpent.leave()
    eventually(lambda: rpent.group() == [])

    other = start("dashboard", "--port", "0")
    (earlier,) = other.client.get("/api/session").json()["earlier"]
    assert (earlier["name"], earlier["queued"], earlier["interrupted"]) == (name, 1, 1)
    other.post("/continue", {"name": name}, status=200)
    state = other.wait_for("awaiting")
    assert [(task["status"], task["values"]) for task in state["tasks"]] == [
        ("interrupted", {}),
        ("running", {"task": 2, "seed": 7}),
    ]
    assert state["tasks"][0]["run"].startswith(f"{name}~")
    third = start("dashboard", "--port", "0")
    third.post("/continue", {"name": name}, status=409)
    other.post("/close")
    other.until(lambda: other.state is None)
    other.signal(signal.SIGINT)
    assert other.leave() == 0
    assert third.post("/continue", {"name": name}, status=200)["name"] == name


def test_a_bad_request_starts_nothing(start, tmp_path):
    policy = ("--policy", "cubes", "--checkpoint", str(tmp_path), "--layout", "nothing")
    with pytest.raises(AssertionError, match="nothing"):
        start(*FAKE, "--planner", "manual", *policy, *SERVE)
    assert not list((tmp_path).glob("runs/*"))
