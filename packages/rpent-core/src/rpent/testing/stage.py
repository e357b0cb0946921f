"""A stage for tests of a planner of one's own: scripts, sessions and the planner, closed at the test's end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rpent.runs.events import Event, Notice, ToolCalled, ToolReturned, read_events
from rpent.testing.models import ModelServer, Reply
from rpent.testing.planner_contract import start
from rpent.testing.sessions import fake_session

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from rpent.planners.planner import Planner
    from rpent.session.session import Session

Script = Sequence[Reply] | Callable[[Any], Reply]


@dataclass
class Played:
    """A session that is over, or goes on on its planner's thread."""

    session: Session
    server: ModelServer
    errors: list[BaseException] = field(default_factory=list)
    """What the planner raised."""
    thread: threading.Thread | None = None
    patience_s: float = 40.0
    """How long `join` waits."""

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
        kinds = [str(getattr(event, "type", "")) for event in self.events]
        return [kind for kind in kinds if kind not in left_out]

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
        assert self.thread is not None
        self.thread.join(self.patience_s)
        assert not self.thread.is_alive(), "the planner did not return"
        assert self.server.problems == []
        return self


class Stage:
    """Starts model servers, sessions over the fake robot, and planners on threads of their own."""

    passing: tuple[type[BaseException], ...] = ()
    """What a planner may let pass without being noted in `Played.errors`."""
    patience_s = 40.0

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

    def perform(self, server: ModelServer, session: Session, planner: Planner) -> Played:
        """Start a planner."""
        played = Played(session, server, patience_s=self.patience_s)
        played.thread = start(_Noting(planner, played.errors, self.passing), session)
        return played


@dataclass
class _Noting:
    """A planner whose exceptions are noted, so that a test can look at them."""

    planner: Planner
    errors: list[BaseException]
    passing: tuple[type[BaseException], ...]

    def run(self, session: Session) -> None:
        """Run it."""
        try:
            self.planner.run(session)
        except self.passing:
            raise
        except Exception as error:  # noqa: BLE001  (the test asserts what it is)
            self.errors.append(error)
