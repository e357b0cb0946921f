"""A real session over the fake robot, for tests of planners; the env server is a thread of this process."""

from __future__ import annotations

import threading
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rpent.robot import TaskSetup, ToolContext
from rpent.rpc.api import connect, serve
from rpent.run.prompts import SESSION, compose, fill
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder
from rpent.session.attempts import Attempts
from rpent.session.scope import CallScope
from rpent.session.session import Session
from rpent.testing.fake_robot.config import FakeConfig, FakeEnvConfig
from rpent.testing.fake_robot.robot import FakeRobot
from rpent.testing.fake_robot.server import create as create_env
from rpent.tools.files import FileTools
from rpent.tools.toolkit import bound_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rpent.rpc.channel import Channel
    from rpent.session.limits import Limits

TOKEN = "token-of-the-test"  # noqa: S105  (a server in this process)


@contextmanager
def fake_session(
    directory: Path,
    *,
    task: int = 0,
    seed: int = 0,
    step_time_s: float = 0.0,
    limits: Limits | None = None,
    history: Sequence[dict[str, Any]] = (),
    interactive: bool = False,
    attempts: int | None = None,
) -> Iterator[Session]:
    """Yield an opened session over the fake robot's toolkit; its record is in `directory`.

    With `attempts` the session explores: it offers `next_attempt`.
    """
    config = FakeConfig(task=task, seed=seed, step_time_s=step_time_s)
    robot = FakeRobot(config)
    setup = robot.setup()
    recorder = Recorder(create(directory, setup.tag, "test"), record_video=False)
    scope = CallScope()
    with served_env(FakeEnvConfig(**config.model_dump())) as channel:
        context = ToolContext(
            setup=setup,
            channels={"env": channel},
            run_dir=recorder.directory.path,
            cancel=scope.token,
            progress=scope.progress,
        )
        toolkit = robot.toolkit(context)
        session = Session(
            task=setup,
            prompts=fill(compose(robot.prompts(), present={"env"}, before=(SESSION,)), _variables(setup)),
            toolkit=toolkit,
            tools=[*toolkit.tools(), *bound_tools(FileTools(context), context)],
            recorder=recorder,
            scope=scope,
            limits=limits,
            history=history,
            interactive=interactive,
            attempts=None if attempts is None else Attempts(attempts),
        )
        try:
            session.open()
            yield session
        finally:
            session.close()
            recorder.close()


@contextmanager
def served_env(config: FakeEnvConfig) -> Iterator[Channel]:
    """Yield a channel to a fake env server in this process, through the real codec and dispatcher."""
    endpoint = f"inproc://fake-{uuid.uuid4().hex[:8]}"
    server = serve(endpoint, create_env(config), token=TOKEN)
    thread = threading.Thread(target=server.run, name="fake-env", daemon=True)
    thread.start()
    channel = connect(endpoint, token=TOKEN)
    try:
        yield channel
    finally:
        channel.close()
        server.shutdown()
        thread.join(10)


def _variables(setup: TaskSetup) -> dict[str, Any]:
    limits = {"max_turns": "unlimited", "max_tool_calls": "unlimited"}
    return {"instruction": setup.instruction, **limits, **setup.prompt_variables}
