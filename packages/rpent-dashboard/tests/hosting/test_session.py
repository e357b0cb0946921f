"""A session's queue over the fake robot: tasks run one after another, are stopped, withdrawn, repeated."""

from __future__ import annotations

import json
import math
import threading
import time
from dataclasses import replace

import pytest
from pydantic import Field, SecretStr
from rpent.errors import UsageError
from rpent.run.request import Explore
from rpent.run.signals import Interrupts
from rpent.runs.index import is_locked, list_runs
from rpent.services.shared import SharedServices
from rpent.testing.fake_robot.config import FakeConfig
from rpent.testing.fake_robot.robot import FakeRobot
from rpent_dashboard.ending import end_session
from rpent_dashboard.hosting.errors import ConflictError, FieldError, NotFoundError
from rpent_dashboard.hosting.host import Host
from rpent_dashboard.hosting.session import HostedSession

from .conftest import TOKEN, manual, registry, scripted

FAR = ("move_to", {"xyz": [0.3, 0.3, 0.3]})
STUCK = ("finish", {"status": "stuck"})


def test_two_tasks_run_one_after_the_other(stage):
    s = stage(scripted())
    first, second = s.control.queue({}), s.control.queue({"task": 1})
    assert (first["status"], second["status"]) == ("queued", "queued")
    state = s.wait_idle()
    assert s.tasks("status", "outcome", "benchmark_success") == [
        ("ended", "success", True),
        ("ended", "failure", False),  # the script is for the other cube
    ]
    one, two = state["tasks"]
    assert one["ended_at"] <= two["started_at"]
    assert one["label"] == "put the red cube on the pad"
    runs = {run.name.replace("/", "~"): run for run in list_runs(s.host.output_dir)}
    assert {one["run"], two["run"]} == set(runs)
    assert runs[one["run"]].state == "ended"
    assert one["run"].startswith(f"{state['name']}~")


def test_a_task_is_withdrawn_before_its_turn(stage):
    s = stage(manual())
    running, waiting = s.control.queue({}), s.control.queue({"task": 2})
    s.wait_for("awaiting")
    s.host.session.withdraw(waiting["id"])
    with pytest.raises(ConflictError, match="running"):
        s.host.session.withdraw(running["id"])
    s.host.session.stop(running["id"])
    s.wait_idle()
    assert s.tasks("status", "outcome") == [("interrupted", "interrupted"), ("withdrawn", None)]
    assert s.state["tasks"][0]["detail"] == "Stopped in the dashboard."


def test_only_the_task_that_runs_is_stopped(stage):
    s = stage(manual())
    s.control.queue({})
    waiting = s.control.queue({})
    s.wait_for("awaiting")
    with pytest.raises(ConflictError, match="does not run"):
        s.host.session.stop(waiting["id"])
    with pytest.raises(NotFoundError, match="no task `nothing`"):
        s.host.session.stop("nothing")


def test_the_same_task_again(stage):
    s = stage(scripted(STUCK))
    task = s.control.queue({"task": 2, "seed": 5})
    s.wait_idle()
    repeated = s.host.session.again(task["id"])
    s.wait_idle()
    assert repeated.values == {"task": 2, "seed": 5}
    assert [t["status"] for t in s.state["tasks"]] == ["ended", "ended"]


def test_another_planner_for_the_next_task(stage):
    s = stage(scripted(FAR, STUCK))
    s.control.queue({}, "scripted", {"calls": [STUCK]})
    s.control.queue({}, "manual")
    s.wait_for("awaiting")
    assert s.tasks("planner", "status") == [("scripted", "ended"), ("manual", "running")]
    record = json.loads((s.folder / s.state["tasks"][0]["run"].partition("~")[2] / "run.json").read_text())
    assert record["counts"]["tool_calls"] == 0  # its own script, not the session's


def test_a_task_that_cannot_run_does_not_end_the_session(stage, tmp_path):
    s = stage(scripted(STUCK))
    s.host.session.base = replace(s.host.session.base, env_python=str(tmp_path / "no-python"))
    with pytest.raises(FieldError):
        s.control.queue({})
    s.host.session.base = replace(s.host.session.base, env_python=None)
    s.control.queue({})
    s.wait_idle()
    assert s.tasks("status") == [("ended",)]


def test_what_is_wrong_is_refused_before_it_is_queued(stage):
    s = stage(scripted())
    for values, planner, field in (
        ({"task": 9}, None, "values.task"),
        ({"seed": "many"}, None, "values.seed"),
        ({"tsak": 1}, None, "values.tsak"),
        ({}, "nobody", "planner"),
    ):
        with pytest.raises(FieldError) as caught:
            s.control.queue(values, planner)
        assert caught.value.field == field
    with pytest.raises(FieldError) as caught:
        s.control.queue({}, None, {"tokens_per_turn": -1})
    assert caught.value.field == "planner_config.tokens_per_turn"
    assert s.state["tasks"] == []


def test_one_session_at_a_time(stage):
    s = stage(scripted())
    with pytest.raises(ConflictError, match="is open"):
        s.host.open(scripted())
    s.host.close()
    assert s.host.state() is None
    s.host.open(scripted())


def test_a_session_that_cannot_be_is_not_opened(stage):
    s = stage()
    with pytest.raises(FieldError) as caught:
        s.host.open(scripted(task=4))
    assert caught.value.field == "robot_config.task"
    with pytest.raises(FieldError) as caught:
        s.host.open(replace(scripted(), robot="nobody"))
    assert caught.value.field == "robot"
    with pytest.raises(Exception, match="explore"):
        s.host.open(replace(scripted(), explore=Explore()))
    assert s.host.state() is None
    assert s.host.earlier() == []


def test_closing_ends_the_task_and_keeps_the_queue(stage):
    s = stage(manual())
    s.control.queue({})
    s.control.queue({"task": 1})
    s.wait_for("awaiting")
    folder = s.folder
    s.host.close()
    assert not s.host.is_open
    (earlier,) = s.host.earlier()
    assert earlier == {
        "name": folder.name,
        "robot": "fake",
        "created": earlier["created"],
        "queued": 1,
        "tasks": 2,
        "interrupted": 1,
        "in_use": False,
    }


class ExitingRobot(FakeRobot):
    def toolkit(self, context):
        raise SystemExit(5)


def test_a_robot_that_exits_ends_its_task_only(stage, module):
    s = stage(scripted(), robot=f"{module(Robot=ExitingRobot)}:Robot")
    for _ in range(2):
        s.control.queue({})
        s.wait_idle()
    assert s.tasks("status", "outcome") == [("ended", "infrastructure")] * 2
    assert "SystemExit" in s.state["tasks"][0]["detail"]


class SecretConfig(FakeConfig):
    key: SecretStr = SecretStr("")


class RequiredConfig(FakeConfig):
    task: int = Field(ge=0, le=2)


def test_secrets_stay_out_of_state_and_journal(stage, module):
    name = f"{module(Config=SecretConfig)}:Config"
    s = stage(scripted(key="a-key"), config=name)
    s.control.queue({"key": "another-key"})
    state = s.wait_idle()
    assert state["schema"]["properties"]["key"]["writeOnly"] is True
    assert s.tasks("status", "values") == [("ended", {})]
    for place in (json.dumps(state), (s.folder / "session.jsonl").read_text()):
        for secret in ("a-key", "another-key", TOKEN):
            assert secret not in place
    assert str(s.host.output_dir) not in (s.folder / "session.jsonl").read_text()


def test_a_complaint_that_names_an_option_is_about_its_field(stage, monkeypatch):
    s = stage(scripted())
    for message, hint, field in (
        ("Task 99 is out of range: `0` is the first.", "Use `--task` 0 to 9.", "values.task"),
        ("It takes too long.", "Give `--step-time-s 0`, or `--task 1`.", "values.step_time_s"),
        ("It takes too long.", "Give `--a-step-time-s 0`.", ""),
    ):
        monkeypatch.setattr(
            "rpent_dashboard.hosting.checking.resolve",
            lambda request, registry, said=(message, hint): refuse(*said),
        )
        with pytest.raises(FieldError) as caught:
            s.control.queue({"task": 1})
        assert caught.value.field == field


def refuse(message: str, hint: str) -> None:
    """Complain as a robot does."""
    raise UsageError(message, hint=hint)


def test_a_session_is_opened_before_its_task_is_chosen(stage, module):
    name = f"{module(Config=RequiredConfig)}:Config"
    s = stage(scripted(), config=name, task_fields=("task",))
    assert s.state["schema"]["required"] == ["task"]
    with pytest.raises(FieldError, match="needs `task`") as caught:
        s.control.queue({})
    assert caught.value.field == "values.task"
    assert s.control.queue({"task": 0})["values"] == {"task": 0}
    s.wait_idle()
    assert s.tasks("outcome") == [("success",)]


def test_what_is_no_field_of_a_task_must_be_there_from_the_start(stage, module):
    name = f"{module(Config=RequiredConfig)}:Config"
    with pytest.raises(FieldError, match="needs `task`"):
        stage(scripted(), config=name, task_fields=("seed",))


def test_only_the_last_of_many_tasks_are_shown(stage):
    s = stage(manual())
    s.control.queue({})
    s.wait_for("awaiting")
    for number in range(150):
        s.host.session.note("queued", id=f"t{number}", values={}, planner="manual", planner_config={})
        if number < 149:
            s.host.session.note("withdrawn", id=f"t{number}")
    names = [task["id"] for task in s.state["tasks"]]
    assert len(names) == 102
    assert names[0] == s.state["current"]
    assert names[1:] == [f"t{number}" for number in range(49, 150)]


def test_what_browsers_get_is_json_also_where_an_option_is_infinite(stage, module):
    class Endless(FakeConfig):
        patience_s: float = math.inf

    s = stage(manual(step_time_s=math.inf), config=f"{module(Endless=Endless)}:Endless")
    for shown in (s.state, s.host.catalogue.launch()):
        json.dumps(shown, allow_nan=False)
    assert s.state["schema"]["properties"]["step_time_s"]["default"] is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_service_that_cannot_be_stopped_does_not_keep_the_session_open(stage, monkeypatch):
    def fail(_):
        raise ZeroDivisionError

    monkeypatch.setattr(SharedServices, "close", fail)
    s = stage(manual())
    path, session = s.folder, s.host.session
    s.host.close()
    session._thread.join(20)  # it raises at its end what went wrong
    assert not s.host.is_open
    assert s.host.closed.is_set()
    assert not is_locked(path)


def test_a_terminal_that_was_closed_ends_the_session_in_order(stage, monkeypatch):
    one = stage(manual())
    one.control.queue({})
    one.wait_for("awaiting")
    session = one.host.session

    def nobody_reads(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("click.echo", nobody_reads)
    end_session(one.host, Interrupts())
    (task,) = session.record.tasks.values()
    assert (task.outcome, task.detail, session.exit_code) == ("interrupted", "Interrupted by the user.", 130)


def test_a_session_that_is_closed_while_it_begins_ends_in_order(tmp_path, monkeypatch):
    host, start = Host(tmp_path, registry=registry()), HostedSession.start
    closing = threading.Thread(target=host.close)

    def start_late(session):
        closing.start()
        until(lambda: session.closing)
        start(session)

    monkeypatch.setattr(HostedSession, "start", start_late)
    session = host.open(manual())
    closing.join(20)
    assert not closing.is_alive()
    assert not host.is_open
    assert not is_locked(session.folder)


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
