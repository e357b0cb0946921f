"""What a planner raises becomes the session's end."""

import pytest
from rpent.errors import UsageError
from rpent.planners.driving import check_planner, start_planner
from rpent.planners.faults import model_error
from rpent.session.limits import Limits
from rpent.session.session import SessionEndedError
from rpent.testing import fake_session


class Raising:
    def __init__(self, error):
        self.error = error

    def run(self, _session):
        if self.error is not None:
            raise self.error


def ending(tmp_path, error, **options):
    with fake_session(tmp_path) as session:
        start_planner(Raising(error), session, **options).join(10)
        return session.ended


def test_a_fault_of_the_provider_is_the_runs_detail(tmp_path):
    error = model_error("rate_limit", planner="api", model="m", detail="60 per minute")
    ended = ending(tmp_path, error, resume="rpent resume runs/x")
    assert ended.reason == "infrastructure"
    assert ended.detail == error.message
    assert ended.hint == f"{error.hint} Then `rpent resume runs/x` goes on from here, also with `--model …`."


@pytest.mark.parametrize(
    ("fault", "how"),
    [
        ("key", " Then `rpent resume runs/x` goes on from here."),
        ("credit", " Then `rpent resume runs/x` goes on from here, also with `--model …`."),
        ("unreachable", " Then `rpent resume runs/x` goes on from here, also with `--base-url …`."),
        ("request", " `rpent resume runs/x --model …` goes on from here."),
        ("context", " `rpent resume runs/x --model …` goes on from here."),
        ("address", " `rpent resume runs/x --base-url …` goes on from here."),
        ("images", " `rpent resume runs/x --no-images` goes on from here."),
        ("price", ""),
    ],
)
def test_a_fault_says_how_the_run_goes_on(tmp_path, fault, how):
    error = model_error(fault, planner="api", model="m", detail="bad")
    assert ending(tmp_path, error, resume="rpent resume runs/x").hint == f"{error.hint}{how}"
    assert ending(tmp_path / "again", error).hint == error.hint


def test_a_fault_inside_a_task_group(tmp_path):
    error = model_error("credit", planner="api", model="m")
    group = BaseExceptionGroup("g", [SessionEndedError("over"), ExceptionGroup("h", [error, ValueError()])])
    assert ending(tmp_path, group).detail == error.message


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (UsageError("Wrong."), "The planner failed: Wrong."),
        (ZeroDivisionError("oh"), "The planner failed: ZeroDivisionError: oh"),
    ],
)
def test_other_errors(tmp_path, error, detail):
    ended = ending(tmp_path, error)
    assert (ended.reason, ended.detail) == ("infrastructure", detail)


def test_a_planner_that_just_returns(tmp_path):
    ended = ending(tmp_path, None)
    assert (ended.reason, ended.planner_status) == ("finished", None)


def test_a_check_is_optional():
    check_planner(Raising(None), Limits())
