"""Runs of the fake robot, planned by a real client of a local model server."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rpent.errors import ToolError
from rpent.rpc import serve
from rpent.run import RunRequest, execute, resume
from rpent.runs.events import Event, read_events
from rpent.runs.outcome import Outcome
from rpent.session.session import Session
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.robot import FakeRobot
from rpent.testing.fake_robot.server import create
from rpent.testing.fake_robot.toolkit import FakeToolkit
from rpent.testing.models import ModelServer, Reply
from rpent.testing.registry import FakeRegistry
from rpent.tools import ToolResult, tool

from .cases import KEY, PRICES, Case

ENV_TOKEN = "token-of-the-test"
FOREIGN = ("CLAUDE", "ANTHROPIC", "OPENAI", "CODEX", "MCP_", "AWS_", "GOOGLE_", "OTEL_")


class Toolkit(FakeToolkit):
    """The fake robot's tools, and two that fail."""

    @tool(readonly=True)
    def weigh(self) -> ToolResult:
        """Weigh the cube (it has a bug)."""
        raise ZeroDivisionError

    @tool(readonly=True)
    def ask(self, question: str) -> ToolResult:
        """Ask the operator.

        Args:
            question: What to ask.
        """
        raise ToolError(f"Nobody answers: {question}", hint="Go on alone.")


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's reaches a client; short pauses between retries; tools that fail."""
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setattr("rpent.planners.retries.FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(FakeRobot, "toolkit", _toolkit)


def _toolkit(robot: FakeRobot, context: Any) -> Toolkit:
    from rpent.env.client import EnvClient

    EnvClient(context.channels["env"]).reset(task=robot.config.task, seed=robot.config.seed)
    return Toolkit(context)


@dataclass
class Drive:
    """A run under way, for a scenario that acts on it."""

    case: Case
    server: ModelServer | None = None
    session: Session | None = None
    services: list[Any] = field(default_factory=list)
    env: Any = None
    """The env server, where it is not the run's own."""
    _done: set[str] = field(default_factory=set)

    def send(self, text: str, *, interrupt: bool = False, after_s: float = 0.0) -> None:
        """Speak as the user, from another thread, as a terminal does."""
        assert self.session is not None
        speak = threading.Timer(after_s, self.session.send, args=(text,), kwargs={"interrupt": interrupt})
        speak.daemon = True
        speak.start()

    def once(self, name: str) -> bool:
        """Return whether this is the first time."""
        first = name not in self._done
        self._done.add(name)
        return first


@dataclass
class Ran:
    """What a run left behind."""

    outcome: Outcome
    server: ModelServer
    drive: Drive

    @property
    def events(self) -> list[Event]:
        return list(read_events(self.outcome.run_dir / "events.jsonl"))

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.outcome.run_dir / "run.json").read_text())

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.type == kind]


Act = Callable[[Drive, Any], None]


@pytest.fixture
def drive_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ran]]:
    """Run (or, with `run_dir`, resume) an episode whose model plays a script."""
    opened: list[Session] = []
    real_open = Session.open

    def open_and_note(session: Session) -> Any:
        opened.append(session)
        return real_open(session)

    monkeypatch.setattr(Session, "open", open_and_note)

    served: list[Any] = []

    def run(
        case: Case,
        script: list[Reply] | Callable[[Drive], list[Reply]],
        act: Act | None = None,
        **options: Any,
    ) -> Ran:
        run_dir, cancel = options.pop("run_dir", None), options.pop("cancel", None)
        drive = Drive(case)
        with ModelServer(script(drive) if callable(script) else script, key=KEY) as server:
            drive.server = server

            def on_event(event: Event) -> None:
                drive.session = opened[-1] if opened else None
                if event.type == "service" and event.state == "ready":
                    drive.services.append(event)
                if act is not None:
                    try:
                        act(drive, event)
                    except BaseException as error:
                        server.note(f"the test's own act failed: {error!r}")

            values = {**case.options(server), **PRICES, "max_retries": 3, **options.pop("planner_config", {})}
            if not options.pop("owned_env", False):
                drive.env = env_server(options)
                served.append(drive.env)
                options |= {"endpoints": {"env": str(drive.env.endpoint)}, "token": ENV_TOKEN}
            if run_dir is not None:
                outcome = resume(
                    run_dir,
                    registry=FakeRegistry(),
                    progress="quiet",
                    on_event=on_event,
                    planner=case.planner,
                    planner_config=values,
                    **options,
                )
            else:
                request = RunRequest(
                    robot="fake",
                    planner=case.planner,
                    planner_config=values,
                    output_dir=tmp_path / "runs",
                    progress="quiet",
                    record_video=False,
                    **options,
                )
                outcome = execute(request, registry=FakeRegistry(), on_event=on_event, cancel=cancel)
        return Ran(outcome, server, drive)

    yield run
    for one in served:
        one.shutdown()


def env_server(options: dict[str, Any]) -> Any:
    """Serve the fake robot's env from this process (a process of its own takes longer to start)."""
    config = FakeEnvConfig(**options.get("robot_config", {}))
    server = serve("http://127.0.0.1:0", create(config), token=ENV_TOKEN)
    threading.Thread(target=server.run, daemon=True).start()
    return server
