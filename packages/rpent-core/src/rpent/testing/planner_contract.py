"""The contract of a planner: it works through the session, and ends when the session does."""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from rpent.runs.events import AttemptStarted, ToolCalled, read_events
from rpent.session.limits import Limits
from rpent.session.session import Session, SessionEndedError
from rpent.testing.fake_robot.robot import solution
from rpent.testing.sessions import fake_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rpent.planners.planner import Planner
    from rpent.runs.events import Event

RETURN_S = 20.0
"""How long a planner may take to return once its session is over."""


class PlannerContract:
    """The tests of any planner. Subclass it and make a planner that will issue the given tool calls.

    A planner of a language model connects its SDK to a local model server that answers with the calls, one a
    turn. A planner that cannot be told what to call (`flash`) has tests of its own instead.

    Example::

        class TestMyPlanner(PlannerContract):
            def planner(self, calls, tmp_path):
                return MyPlanner(MyConfig(base_url=serve_script(calls)))
    """

    def planner(self, calls: Sequence[tuple[str, Any]], tmp_path: Path) -> Planner:
        """Return a planner that calls these tools, one a turn."""
        raise NotImplementedError

    @pytest.fixture
    def open_session(self, tmp_path: Path) -> Iterator[Callable[..., Session]]:
        """Open sessions over the fake robot."""
        managers: list[AbstractContextManager[Session]] = []

        def open_(**options: Any) -> Session:
            manager = fake_session(tmp_path / f"runs{len(managers)}", **options)
            managers.append(manager)
            return manager.__enter__()

        yield open_
        for manager in managers:
            manager.__exit__(None, None, None)

    def run(self, planner: Planner, session: Session) -> None:
        """Run a planner as the run does: on its own thread, with a bounded wait for its end."""
        thread = start(planner, session)
        thread.join(60)
        if thread.is_alive():
            pytest.fail("the planner did not return")

    def test_it_carries_out_calls_and_finishes(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """The task is solved through tools, and the claim is the planner's."""
        session = open_session()
        self.run(self.planner(solution(), tmp_path), session)
        assert session.ended is not None
        assert (session.ended.reason, session.ended.planner_status) == ("finished", "success")
        called = [event.name for event in events_of(session) if isinstance(event, ToolCalled)]
        assert called == [name for name, _ in solution()]

    def test_it_goes_on_after_a_mistake(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """An error in a reply is read, not raised."""
        session = open_session()
        mistakes = [("move_to", {"xyz": "far"}), ("no_such_tool", {})]
        calls = [*mistakes, ("finish", {"status": "failure", "summary": "No."})]
        self.run(self.planner(calls, tmp_path), session)
        assert session.ended is not None
        assert session.ended.planner_status == "failure"

    def test_a_turn_limit_ends_it(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """Turns are counted, whatever is in them."""
        session = open_session(limits=Limits(max_turns=3))
        self.run(self.planner([("look", {})] * 50, tmp_path), session)
        assert session.ended is not None
        assert session.ended.reason == "turn_limit"
        assert session.budget.turns == 3

    def test_the_sessions_end_ends_it(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """A time limit in the middle of a motion cancels it, and the planner returns."""
        session = open_session(step_time_s=0.1, limits=Limits(time_limit_s=1.5))
        thread = start(self.planner(far_apart(), tmp_path), session)
        session.cancel.wait(30)
        deadline = time.monotonic() + RETURN_S
        thread.join(RETURN_S)
        assert time.monotonic() < deadline
        assert session.ended is not None
        assert session.ended.reason == "time_limit"

    def test_another_attempt_goes_on_in_the_same_session(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """An exploring session's reset is a call like any other: the planner goes on with the fresh world."""
        session = open_session(attempts=2)
        away = ("move_to", {"xyz": [0.1, 0.0, 0.2]})
        again = ("next_attempt", {"status": "failure", "lesson": "Too far."})
        calls = [away, again, *solution()]
        self.run(self.planner(calls, tmp_path), session)
        assert session.ended is not None
        assert (session.ended.reason, session.ended.planner_status) == ("finished", "success")
        begun = [event.attempt for event in events_of(session) if isinstance(event, AttemptStarted)]
        assert begun == [1, 2]
        called = [event.name for event in events_of(session) if isinstance(event, ToolCalled)]
        assert called == [name for name, _ in calls]

    def test_what_it_reports_is_counted(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """Each turn begins with `begin_turn`."""
        session = open_session()
        self.run(self.planner(solution(), tmp_path), session)
        assert session.budget.turns == len(solution())


def start(planner: Planner, session: Session) -> threading.Thread:
    """Start a planner on a thread; the session's end may pass through it."""

    def work() -> None:
        with suppress(SessionEndedError):
            planner.run(session)

    thread = threading.Thread(target=work, name="planner-under-test", daemon=True)
    thread.start()
    return thread


def events_of(session: Session) -> list[Event]:
    """Return the events of a session so far."""
    return list(read_events(session.recorder.directory.events))


def far_apart() -> list[tuple[str, Any]]:
    """Return motions that take long."""
    return [("move_to", {"xyz": [sign * 0.3, sign * 0.3, 0.3]}) for sign in (1, -1)] * 20
