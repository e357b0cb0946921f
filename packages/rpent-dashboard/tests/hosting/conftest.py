"""A host over the fake robot; its env server is a thread of this process, behind the real codec."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rpent.rpc.api import serve
from rpent.run.request import RunRequest
from rpent.specs import Choice, DashboardSpec, PlannerSpec
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.robot import SPEC as FAKE
from rpent.testing.fake_robot.robot import solution
from rpent.testing.fake_robot.server import create
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent_dashboard.hosting.control import Control
from rpent_dashboard.hosting.host import Host

MANUAL = PlannerSpec(
    name="manual",
    summary="A person.",
    planner="rpent_dashboard.manual:ManualPlanner",
    config="rpent_dashboard.manual:ManualConfig",
    uses_model=False,
)
TOKEN = "token-of-the-env-server"
COLORS = ("red", "green", "blue")


def choices(field: str, values: Any) -> list[Choice]:
    """What the robot of these tests says of its fields."""
    if field == "task":
        return [Choice(value=n, label=f"the {color} cube") for n, color in enumerate(COLORS)]
    if field == "seed":  # depends on the other field
        return [Choice(value=10 * int(values["task"]) + n) for n in range(2)]
    raise KeyError(field)


def registry(robot: str = FAKE.robot, config: str = FAKE.config, **dashboard: Any) -> FakeRegistry:
    """The fake robot with what it says of itself to a dashboard, and the planners of these tests."""
    specs = fake_specs()
    specs["robots"]["fake"] = replace(FAKE, robot=robot, config=config, dashboard=DashboardSpec(**dashboard))
    specs["planners"]["manual"] = MANUAL
    return FakeRegistry(specs)


def scripted(*calls: Any, **robot: Any) -> RunRequest:
    """A request of the scripted planner; without calls it solves the task."""
    return RunRequest(
        robot="fake",
        planner="scripted",
        robot_config=robot,
        planner_config={"calls": list(calls) or solution()},
        record_video=False,
    )


def manual(**robot: Any) -> RunRequest:
    """A request that a person carries out."""
    return RunRequest(robot="fake", planner="manual", robot_config=robot, record_video=False)


@dataclass
class Stage:
    """A host, and what tests ask it."""

    host: Host

    @property
    def control(self) -> Control:
        """What the browser does."""
        return Control(self.host)

    @property
    def state(self) -> dict[str, Any]:
        """The state that the browser shows."""
        state = self.host.state()
        assert state is not None
        return state

    @property
    def folder(self) -> Path:
        """The session's."""
        return self.host.session.folder

    def tasks(self, *names: str) -> list[tuple[Any, ...]]:
        """Some fields of each task."""
        return [tuple(task[name] for name in names) for task in self.state["tasks"]]

    def wait(self, condition: Callable[[dict[str, Any]], object], timeout_s: float = 30) -> dict[str, Any]:
        """Wait until the state is so."""
        deadline = time.monotonic() + timeout_s
        while not condition(self.state):
            assert time.monotonic() < deadline, f"it did not happen: {self.state['tasks']}"
            time.sleep(0.02)
        return self.state

    def wait_idle(self) -> dict[str, Any]:
        """Wait until nothing runs and nothing is queued."""
        return self.wait(
            lambda state: (
                state["current"] is None and not any(t["status"] == "queued" for t in state["tasks"])
            )
        )

    def wait_for(self, activity: str) -> dict[str, Any]:
        """Wait for what the planner does."""
        return self.wait(lambda state: state["activity"] == activity)


@pytest.fixture
def module():
    """Return a function that makes a module which import strings can name; returns the name."""
    made = []

    def make(**attributes: Any) -> str:
        name = f"module_of_a_test_{len(made)}"
        made.append(name)
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(attributes)
        return name

    yield make
    for name in made:
        del sys.modules[name]


@pytest.fixture
def env_server(monkeypatch):
    """Return a function that starts an env server and returns its endpoint; hosts know its token."""
    monkeypatch.setenv("RPENT_TOKEN", TOKEN)
    with ExitStack() as stack:

        def start(step_time_s: float = 0.0) -> str:
            endpoint = f"inproc://hosted-{uuid.uuid4().hex[:8]}"
            server = serve(endpoint, create(FakeEnvConfig(step_time_s=step_time_s)), token=TOKEN)
            thread = threading.Thread(target=server.run, daemon=True)
            thread.start()
            stack.callback(thread.join, 10)
            stack.callback(server.shutdown)
            return endpoint

        yield start


@pytest.fixture
def stage(tmp_path, env_server):
    """Return a function that makes a host, each over the same output directory; all are closed at the end."""
    made = []

    def make(request: RunRequest | None = None, **dashboard: Any) -> Stage:
        host = Host(tmp_path / "runs", registry=registry(**dashboard))
        made.append(host)
        if request is not None:
            endpoint = env_server(request.robot_config.get("step_time_s", 0.0))
            host.open(replace(request, endpoints={"env": endpoint}, token=TOKEN))
        return Stage(host)

    yield make
    for host in made:
        host.close()
