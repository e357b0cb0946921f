"""Calls of the user while the planner waits for them."""

from __future__ import annotations

import json
import threading
import time

import pytest
from rpent.run.resume import ResumePoint
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.runs.recipe import read_recipe
from rpent.runs.recorder import Recorder
from rpent.session import RobotHeldError
from rpent.session.limits import Limits
from rpent.session.user_calls import UserCalls


def events(session, kind=ev.Event):
    return [event for event in read_events(session.recorder.directory.events) if isinstance(event, kind)]


def until(condition):
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


class Planner:
    """The planner's side: it makes a few calls, and waits for its user whenever a step says so."""

    def __init__(self, work):
        self.result = []
        self.thread = threading.Thread(target=lambda: self.result.append(work()), daemon=True)
        self.thread.start()

    def done(self):
        self.thread.join(10)
        assert not self.thread.is_alive()
        return self.result[0]


@pytest.fixture
def waiting(make_session):
    """A session whose planner stopped without `finish`."""
    session, toolkit = make_session(interactive=True)
    planner = Planner(session.nudge)
    until(lambda: session.awaiting)
    return session, toolkit, planner


def test_while_the_planner_works_the_robot_is_its_own(make_session):
    session, toolkit = make_session(interactive=True)
    assert not session.awaiting
    with pytest.raises(RobotHeldError, match="holds the robot"):
        session.user_call("advance", {"n": 2})
    assert toolkit.steps == 0
    assert events(session, ev.ToolCalled) == []


def test_a_session_without_a_user_never_gives_the_robot_away(make_session):
    session, _ = make_session()
    session.nudge()
    with pytest.raises(RobotHeldError):
        session.user_call("look")


def test_a_call_of_the_user_is_recorded_as_theirs(waiting):
    session, _, planner = waiting
    reply = session.user_call("advance", {"n": 2})
    assert reply.ok
    assert reply.data["observation"] == {"steps": 2}
    assert session.observation == {"steps": 2}
    [called], [returned] = events(session, ev.ToolCalled), events(session, ev.ToolReturned)
    assert (called.origin, returned.origin, returned.step) == ("user", "user", 1)
    assert [call.name for call in read_recipe(session.recorder.directory.path)] == ["advance"]
    assert session.awaiting, "the planner waits on"
    assert isinstance(events(session)[-1], ev.AwaitingUser), "and the record says so"
    session.send("Go on.")
    assert "advance" in planner.done()


def test_the_planner_is_told_with_the_next_message_and_once(waiting):
    session, _, planner = waiting
    session.user_call("advance", {"n": 2})
    session.user_call("advance", {"n": "many"})
    session.send("Go on.")
    said = planner.done()
    assert said.startswith("While you waited, the user called tools themselves:")
    assert '- `advance` with {"n":2}: done' in said
    assert "Wrong arguments for `advance`" in said
    assert '{"steps":2}' in said
    assert said.endswith("\n\nGo on.")
    [delivered] = events(session, ev.MessagesDelivered)
    assert delivered.count == 1
    session.send("And on.")
    assert session.user_messages() == ["And on."]


def test_what_is_refused_is_not_executed(waiting):
    session, toolkit, _ = waiting
    reply = session.user_call("advance", {"n": 101})
    assert not reply.ok
    assert not reply.executed
    assert "at most 100" in reply.data["error"]
    assert toolkit.steps == 0
    assert session.user_call("advance", {"n": 1}).executed


def test_after_an_interrupt_the_user_may_act(make_session):
    session, toolkit = make_session(interactive=True)
    planner = Planner(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt()
    until(lambda: session.awaiting)
    assert session.user_call("advance", {"n": 3}).ok
    assert planner.thread.is_alive(), "the planner hears of nothing before the user speaks"
    session.send("Look again.")
    assert "cancelled" in planner.done().data["error"]
    assert not session.awaiting
    [message] = session.user_messages()
    assert message.endswith("Look again.")
    assert "`advance`" in message


def test_an_interrupt_cancels_a_call_of_the_user(waiting):
    session, toolkit, planner = waiting
    user = Planner(lambda: session.user_call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt("Stop.")
    reply = user.done()
    assert not reply.ok
    assert "Stop." in reply.data["error"]
    assert session.awaiting
    session.send("Go on.")
    assert "`wait` was cancelled" in planner.done()


def test_a_planner_that_goes_on_meanwhile_waits_for_the_users_call(waiting):
    session, toolkit, planner = waiting
    user = Planner(lambda: session.user_call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.send("Go on.")
    assert "`wait` with {}: still under way" in planner.done()
    own = Planner(lambda: session.call("advance", {"label": "planner"}))
    with pytest.raises(RobotHeldError):
        session.user_call("look")
    until(lambda: session._worker._jobs.qsize() == 1)
    toolkit.stop_waiting.set()
    assert user.done().ok
    assert own.done().ok
    assert toolkit.order == ["wait", "planner"]
    assert not isinstance(events(session)[-1], ev.AwaitingUser)


def test_finish_by_the_user_ends_the_session(waiting):
    session, _, planner = waiting
    reply = session.user_call("finish", {"status": "failure", "summary": "I gave up."})
    assert reply.ended
    assert planner.done() is None
    assert session.ended.planner_status == "failure"
    late = session.user_call("advance")
    assert late.ended
    assert not late.executed


def test_finish_by_the_user_after_an_interrupt_ends_the_planners_call(make_session):
    session, toolkit = make_session(interactive=True)
    planner = Planner(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt()
    until(lambda: session.awaiting)
    session.user_call("finish", {"status": "success"})
    assert planner.done().ended


def test_calls_of_the_user_count(make_session):
    session, _ = make_session(interactive=True, limits=Limits(max_tool_calls=2))
    planner = Planner(session.nudge)
    until(lambda: session.awaiting)
    assert session.user_call("advance").ok
    assert session.user_call("advance").ok
    assert session.user_call("advance").ended
    assert session.ended.reason == "turn_limit"
    assert planner.done() is None


def test_the_clock_runs_while_the_user_acts(make_session):
    session, _ = make_session(interactive=True, limits=Limits(time_limit_s=0.5))
    planner = Planner(session.nudge)
    until(lambda: session.awaiting)
    time.sleep(0.8)
    assert session.ended is None
    session.user_call("wait")
    assert session.ended.reason == "time_limit"
    assert planner.done() is None


def test_a_message_that_comes_while_a_call_begins_tells_of_it(waiting, monkeypatch):
    session, _, planner = waiting
    add = UserCalls.add

    def add_later(calls, call):
        session.send("Go on.")
        planner.thread.join(0.3)  # it cannot have gone on
        add(calls, call)

    monkeypatch.setattr(UserCalls, "add", add_later)
    session.user_call("advance", {"n": 2})
    assert "`advance`" in planner.done()


def test_the_transcript_keeps_them_out_of_the_planners_turns(waiting):
    session, _, planner = waiting
    session.user_call("advance", {"n": 2})
    session.send("Go on.")
    planner.done()
    entries = json.loads(session.recorder.directory.transcript.read_text())["entries"]
    assert [entry["role"] for entry in entries] == ["observation", "user", "user", "user"]
    assert entries[1]["text"] == 'The user called `advance` themselves, with {"n": 2}.'


def test_a_kill_under_a_call_of_the_user_leaves_it_closed_as_theirs(waiting):
    session, toolkit, _ = waiting
    threading.Thread(target=lambda: session.user_call("wait"), daemon=True).start()
    until(lambda: toolkit.order == ["wait"])
    recorder = Recorder(session.recorder.directory, record_video=False)  # as a later process does
    point = ResumePoint.of(recorder)
    returned = [event for event in point.events if isinstance(event, ev.ToolReturned)]
    assert [(event.origin, event.cancelled) for event in returned] == [("user", True)]
    assert [entry["role"] for entry in point.transcript] == ["observation", "user", "user"]
    recorder.close()
    toolkit.stop_waiting.set()
