"""Servers and planners of a test: the real clients of pydantic-ai against a local model server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rpent.runs.events import Event, Notice, read_events
from rpent.session.session import Session
from rpent.testing.models import Call, ModelServer, Reply
from rpent.testing.planner_contract import start
from rpent.testing.sessions import fake_session
from rpent_planner_api.config import ApiConfig
from rpent_planner_api.planner import ApiPlanner

WIRES = {"anthropic": "", "openai": "/v1", "openai-chat": "/v1"}
"""Provider → what follows the server's address."""
FINISH = Reply(calls=[Call("finish", {"status": "failure", "summary": "Enough."})])
Script = Sequence[Reply] | Callable[[Any], Reply]


def config(server: ModelServer, provider: str = "anthropic", **options: Any) -> ApiConfig:
    """Return the options that lead to a local server."""
    address = server.url + WIRES[provider]
    return ApiConfig(**({"model": f"{provider}:test-model", "base_url": address} | options))


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
    def types(self) -> list[str]:
        """The kinds of events in order, without progress and usage."""
        left_out = {"tool_progress", "usage", "prompts", "step"}
        return [event.type for event in self.events if event.type not in left_out]

    @property
    def notices(self) -> list[str]:
        """What the record says about the planner itself."""
        return [event.text for event in self.of(Notice)]

    def join(self) -> Played:
        """Wait for the planner to return."""
        self.thread.join(30)
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

    def begin(
        self,
        script: Script,
        provider: str = "anthropic",
        options: dict[str, Any] | None = None,
        **session: Any,
    ) -> Played:
        """Start a planner against a script."""
        server = self.serve(script)
        return self.start(server, self.session(**session), config(server, provider, **(options or {})))

    def start(self, server: ModelServer, session: Session, options: ApiConfig) -> Played:
        """Start a planner on its own thread."""
        played = Played(session, server)
        played.thread = start(_Catching(ApiPlanner(options), played.errors), session)
        return played

    def play(self, script: Script, provider: str = "anthropic", **options: Any) -> Played:
        """Run a planner to its end."""
        return self.begin(script, provider, **options).join()


@dataclass
class _Catching:
    planner: ApiPlanner
    errors: list[BaseException]

    def run(self, session: Session) -> None:
        try:
            self.planner.run(session)
        except Exception as error:
            self.errors.append(error)
