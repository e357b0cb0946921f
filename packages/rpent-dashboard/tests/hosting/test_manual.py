"""The planner `manual`: it waits, and refuses to where nobody would come."""

from __future__ import annotations

import threading

import pytest
from rpent.errors import UsageError
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.testing.sessions import fake_session
from rpent_dashboard.manual import ManualConfig, ManualPlanner


def test_it_waits_for_its_user_until_they_finish(tmp_path):
    with fake_session(tmp_path, interactive=True) as session:
        thread = threading.Thread(target=ManualPlanner(ManualConfig()).run, args=(session,))
        thread.start()
        while not session.awaiting:
            thread.join(0.02)
        assert session.user_call("set_gripper", {"gripper": "close"}).ok
        session.send("A remark.")
        while not session.awaiting:
            thread.join(0.02)
        assert thread.is_alive()
        assert session.user_call("finish", {"status": "success"}).ended
        thread.join(10)
        assert not thread.is_alive()
        events = list(read_events(session.recorder.directory.events))
    assert not any(isinstance(event, ev.TurnStarted) for event in events)
    assert [event.origin for event in events if isinstance(event, ev.ToolReturned)] == ["user", "user"]


def test_without_a_person_it_says_so(tmp_path):
    with fake_session(tmp_path) as session, pytest.raises(UsageError, match="nobody is there"):
        ManualPlanner(ManualConfig()).run(session)
