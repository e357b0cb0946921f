"""Folders of sessions that a disk, a kill or somebody else damaged: the other sessions can be had all the same."""

from __future__ import annotations

import json
import os
import threading

import pytest
from rpent.errors import RunDirectoryError
from rpent.runs.index import is_locked
from rpent_dashboard.hosting import folder, host
from rpent_dashboard.hosting.host import Host
from rpent_dashboard.hosting.journal import NAME

from .conftest import manual, registry

GOOD = "20260101-000000_dashboard_fake"
BAD = "20260102-000000_dashboard_fake"
REQUEST = {"robot": "fake", "planner": "manual"}


def write(path, text):
    path.mkdir(parents=True)
    (path / NAME).write_text(text + "\n")


def opened(**changes):
    return json.dumps({"type": "opened", "time": 1.0, "robot": "fake", "request": REQUEST, **changes})


@pytest.fixture
def runs(tmp_path):
    """An output directory with a session."""
    write(tmp_path / GOOD, opened())
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        f'{{"type": "opened", "time": {10**400}, "robot": "fake", "request": {{}}}}',
        '{"type": "opened", "time": NaN, "robot": "fake", "request": {}}',
        '{"type": "opened", "time": 1e999, "robot": "fake", "request": {}}',
        '{"type": "opened", "time": 1, "robot": "\\ud800", "request": {}}',
        '{"type": "opened", "time": 1, "robot": "fake", "request": ' + '{"a":' * 5000 + "1" + "}" * 5001,
    ],
)
def test_whatever_is_in_a_journal_the_sessions_are_listed_as_json(runs, line):
    write(runs / BAD, line)
    listed = Host(runs, registry=registry()).earlier()
    assert {session["name"] for session in listed} == {GOOD, BAD}
    assert json.loads(json.dumps(listed, allow_nan=False, ensure_ascii=False).encode()) == listed


def test_what_is_no_session_s_folder_is_not_listed(runs, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / BAD
    write(elsewhere, opened())
    (runs / "20260103-000000_dashboard_link").symlink_to(elsewhere)
    nameless = os.fsencode(runs) + b"/\xff_dashboard_fake"
    os.mkdir(nameless)  # noqa: PTH102  (the name is no text)
    with open(nameless + b"/" + NAME.encode(), "w") as file:  # noqa: PTH123
        file.write(opened() + "\n")
    assert [session["name"] for session in Host(runs, registry=registry()).earlier()] == [GOOD]


def test_a_pipe_in_a_journal_s_place_is_not_waited_for(runs):
    (runs / BAD).mkdir()
    os.mkfifo(runs / BAD / NAME)
    seen = Host(runs, registry=registry())
    found: list[list[str]] = []
    looking = threading.Thread(
        target=lambda: found.append([session["name"] for session in seen.earlier()]), daemon=True
    )
    looking.start()
    looking.join(20)
    assert found == [[GOOD]]
    with pytest.raises(RunDirectoryError, match="does not say what it runs"):
        seen.continue_(BAD)


@pytest.mark.parametrize(
    "request_",
    [
        {"robot": "fake"},
        {**REQUEST, "robot": ["fake"]},
        {**REQUEST, "robot_config": [1]},
        {**REQUEST, "limits": {"max_turns": "a"}},
        {**REQUEST, "limits": {"of what": 1}},
        {**REQUEST, "endpoints": [1]},
        {},
    ],
)
def test_a_journal_that_does_not_say_what_it_runs_is_refused_and_left_alone(runs, request_):
    write(runs / BAD, opened(request=request_))
    before = (runs / BAD / NAME).read_bytes()
    refusing = Host(runs, registry=registry())
    with pytest.raises(RunDirectoryError, match=f"`{BAD}` does not say what it runs"):
        refusing.continue_(BAD)
    assert not refusing.is_open
    assert not is_locked(runs / BAD)
    assert (runs / BAD / NAME).read_bytes() == before


def test_a_session_that_cannot_be_opened_holds_no_folder(tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(host, "State", fail)
    failing = Host(tmp_path, registry=registry())
    with pytest.raises(ZeroDivisionError):
        failing.open(manual())
    (made,) = tmp_path.iterdir()
    assert not is_locked(made)
    folder.hold(made).release()
