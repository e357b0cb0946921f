"""Sessions over a small toolkit in this process: the session's own rules, without a server."""

from __future__ import annotations

import threading
import time
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field
from rpent.cancel import CancelToken
from rpent.errors import CancelledCallError, ServiceError, ToolError
from rpent.robot import Prompts, TaskSetup, ToolContext
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder
from rpent.session import Session
from rpent.session.scope import CallScope
from rpent.tools import Capture, Image, Toolkit, ToolResult, tool

PIXELS = np.zeros((64, 64, 3), np.uint8)


class Counter(Toolkit):
    """Counts steps; some tools fail in the ways that real ones do."""

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self.steps = 0
        self.order: list[str] = []
        self.over: str | None = None
        self.captures = 0
        self.stop_waiting = threading.Event()

    @tool
    def advance(self, n: Annotated[int, Field(ge=1, le=100)] = 1, label: str = "") -> ToolResult:
        """Advance.

        Args:
            n: Steps.
            label: A name.
        """
        self.steps += n
        self.order.append(label)
        return ToolResult(data={"ok": True, "n": n})

    @tool(readonly=True)
    def look(self) -> ToolResult:
        """Look."""
        return ToolResult(
            data={"seen": True}, images=[Image(name="view", caption="view, 64x64", pixels=PIXELS)]
        )

    @tool
    def crash(self) -> ToolResult:
        """Have a bug."""
        raise ZeroDivisionError("/home/somebody/secret.py")

    @tool
    def lose(self) -> ToolResult:
        """Lose the server."""
        raise ServiceError("Service `env` died: signal 9.")

    @tool
    def fail_half_way(self) -> ToolResult:
        """Move, then fail."""
        self.steps += 3
        raise ToolError("The way is blocked.", hint="Go around.")

    @tool
    def wait(self, deaf: bool = False) -> ToolResult:
        """Wait until cancelled.

        Args:
            deaf: Ignore the cancellation.
        """
        self.order.append("wait")
        token = self.context.cancel()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.stop_waiting.is_set():
            self.context.progress({"waited": True, "frame": PIXELS})
            if token.wait(0.01) and not deaf:
                raise CancelledCallError("cancelled")
        return ToolResult(data={})

    @tool(readonly=True)
    def long_list(self) -> ToolResult:
        """Return much."""
        return ToolResult(data={"values": list(range(100_000)), "text": "x" * 100_000})

    def capture(self) -> Capture:
        self.captures += 1
        return Capture(
            state={"steps": self.steps},
            images=[Image(name="view", caption="view, 64x64", pixels=PIXELS)],
            snapshot=str(self.steps).encode(),
        )

    def env_steps(self) -> int:
        return self.steps

    def episode_over(self) -> str | None:
        return self.over


@pytest.fixture
def make_session(tmp_path):
    made: list[Session] = []

    def make(**changes) -> tuple[Session, Counter]:
        scope = CallScope()
        recorder = Recorder(create(tmp_path, f"t{len(made)}", "p"), record_video=False)
        setup = TaskSetup(instruction="count", tag="t", seed=0)
        toolkit = Counter(
            ToolContext(
                setup=setup,
                channels={},
                run_dir=recorder.directory.path,
                cancel=scope.token,
                progress=scope.progress,
            )
        )
        values = {"task": setup, "prompts": Prompts(system="s", user="u"), "toolkit": toolkit}
        session = Session(**values, recorder=recorder, scope=scope, cancel_grace_s=2.0, **changes)
        session.open()
        made.append(session)
        return session, toolkit

    yield make
    for session in made:
        session.close()


@pytest.fixture
def token():
    return CancelToken()
