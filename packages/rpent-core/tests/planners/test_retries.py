"""Pauses between attempts, and what is recorded of them."""

import pytest
from rpent.planners.retries import LONGEST_PAUSE_S, pause_s, say_retry
from rpent.runs.events import Notice
from rpent.testing import fake_session


def test_pauses_grow_up_to_a_limit():
    assert [pause_s(attempt) for attempt in (1, 2, 3)] == [pytest.approx(s, rel=0.2) for s in (1, 2, 4)]
    assert pause_s(100) <= LONGEST_PAUSE_S * 1.2


def test_each_attempt_is_recorded(tmp_path):
    notices = []
    with fake_session(tmp_path) as session:
        session.recorder.listen(lambda event: notices.append(event) if isinstance(event, Notice) else None)
        say_retry(session, "It failed.", attempt=1, limit=5, delay_s=2.04)
        say_retry(session, "It failed.", attempt=2, limit=5)
    assert [(notice.level, notice.text) for notice in notices] == [
        ("warning", "It failed. Trying again in 2.0 s (1 of 5)."),
        ("warning", "It failed. Trying again (2 of 5)."),
    ]
