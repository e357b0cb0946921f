"""Servers and planners of a test: the real Claude Code against a local model server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rpent.runs.events import Event, Notice, ToolCalled, ToolReturned, read_events
from rpent.session.session import Session, SessionEndedError
from rpent.testing.models import Call, ModelServer, Reply
from rpent.testing.planner_contract import start
from rpent.testing.sessions import fake_session
from rpent_planner_claude_code.config import ClaudeCodeConfig
from rpent_planner_claude_code.planner import ClaudeCodePlanner

LOOK = Call("look", {"size": 64})
FAR = Call("move_to", {"xyz": [0.3, 0.3, 0.3]})
FINISH = Reply(calls=[Call("finish", {"status": "failure", "summary": "Enough."})])
Script = Sequence[Reply] | Callable[[Any], Reply]


def config(server: ModelServer, **options: Any) -> ClaudeCodeConfig:
    """Return the options that lead to a local server."""
    return ClaudeCodeConfig(**({"model": "test-model", "base_url": server.url} | options))


@dataclass
class Played:
    """A session that is over, or goes on on its own thread."""

    session: Session
    server: ModelServer
    thread: Any = None
    errors: list[BaseException] = field(default_factory=list)

    @property
    def events(self) -> list[Event]:
        """What was recorded."""
        return list(read_events(self.session.recorder.directory.events))

    def of(self, *kinds: type[Event]) -> list[Any]:
        """Return the events of some kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def notices(self) -> list[str]:
        """What the record says about the planner itself."""
        return [event.text for event in self.of(Notice)]

    @property
    def called(self) -> list[str]:
        """The tools that were called, in order."""
        return [event.name for event in self.of(ToolCalled)]

    @property
    def returned(self) -> list[ToolReturned]:
        """How the calls went."""
        return self.of(ToolReturned)

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until something has happened."""
        deadline = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.01)

    def join(self) -> Played:
        """Wait for the planner to return."""
        self.thread.join(40)
        assert not self.thread.is_alive(), "the planner did not return"
        assert self.server.problems == []
        return self


class Stage:
    """Starts planners against scripts; everything is closed at the test's end."""

    def __init__(self, folder: Path) -> None:
        self.stack = ExitStack()
        self._folder = folder
        self._sessions = 0

    def serve(self, script: Script, **options: Any) -> ModelServer:
        """Start a model server."""
        return self.stack.enter_context(ModelServer(script, **options))

    def session(self, **options: Any) -> Session:
        """Open a session."""
        self._sessions += 1
        return self.stack.enter_context(fake_session(self._folder / f"runs{self._sessions}", **options))

    def begin(self, script: Script, options: dict[str, Any] | None = None, **session: Any) -> Played:
        """Start a planner against a script."""
        server = self.serve(script)
        return self.start(server, self.session(**session), config(server, **(options or {})))

    def start(self, server: ModelServer, session: Session, options: ClaudeCodeConfig) -> Played:
        """Start a planner on its own thread."""
        played = Played(session, server)
        played.thread = start(_Catching(ClaudeCodePlanner(options), played.errors), session)
        return played

    def play(self, script: Script, options: dict[str, Any] | None = None, **session: Any) -> Played:
        """Run a planner to its end."""
        return self.begin(script, options, **session).join()


@dataclass
class _Catching:
    planner: ClaudeCodePlanner
    errors: list[BaseException]

    def run(self, session: Session) -> None:
        try:
            self.planner.run(session)
        except SessionEndedError:
            raise
        except Exception as error:
            self.errors.append(error)
