"""What a resumed run has spent already."""

import time

from rpent.run.resume import ResumePoint
from rpent.runs import events as ev
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder
from rpent.session.limits import Limits


def spent(*events):
    stamped = []
    for at, event in events:
        event.time = at
        stamped.append(event)
    return ResumePoint(step=-1, events=tuple(stamped)).budget(Limits()).elapsed_before_s


def test_the_time_of_earlier_processes():
    first = [(10.0, ev.StageChanged(stage="session", status="started")), (25.0, ev.TurnStarted(turn=1))]
    second = [
        (100.0, ev.RunResumed(step=0)),
        (110.0, ev.StageChanged(stage="session", status="started")),
        (112.0, ev.TurnStarted(turn=2)),
    ]
    assert spent(*first) == 15.0
    assert spent(*first, *second) == 17.0


def test_waiting_for_the_user_does_not_count():
    events = [
        (10.0, ev.StageChanged(stage="session", status="started")),
        (12.0, ev.TurnStarted(turn=1)),
        (13.0, ev.AwaitingUser(turn=1)),
        (513.0, ev.UserMessage(text="Go on.")),
        (515.0, ev.TurnStarted(turn=2)),
    ]
    assert spent(*events) == 5.0


def test_what_comes_of_itself_ends_no_wait_for_the_user():
    events = [
        (10.0, ev.StageChanged(stage="session", status="started")),
        (13.0, ev.AwaitingUser(turn=1)),
        (20.0, ev.ServiceState(service="vla", state="crashed")),
        (30.0, ev.Notice(text="So it is.")),
        (513.0, ev.UserMessage(text="Go on.")),
        (515.0, ev.TurnStarted(turn=2)),
    ]
    assert spent(*events) == 5.0


def test_calls_of_the_user_count():
    call = {"call_id": "a", "name": "wait"}
    events = [
        (10.0, ev.StageChanged(stage="session", status="started")),
        (13.0, ev.AwaitingUser(turn=1)),
        (500.0, ev.ToolCalled(turn=1, arguments={}, origin="user", **call)),
        (504.0, ev.ToolReturned(ok=True, data={}, text="", origin="user", elapsed_s=4.0, **call)),
        (504.0, ev.AwaitingUser(turn=1)),
        (900.0, ev.UserMessage(text="Go on.")),
    ]
    assert spent(*events) == 7.0


def test_the_time_between_a_kill_under_a_call_and_the_resume_does_not_count(tmp_path):
    directory = create(tmp_path, "tag", "planner")
    began = time.time() - 5000
    events = (
        ev.StageChanged(stage="session", status="started"),
        ev.TurnStarted(turn=1),
        ev.ToolCalled(turn=1, call_id="a", name="wait", arguments={}),
    )
    for number, event in enumerate(events):
        event.seq, event.time = number, began + 10 * number
    directory.events.write_text("".join(f"{event.model_dump_json()}\n" for event in events))
    for step in range(2):  # the second time, the log holds what the first one wrote
        recorder = Recorder(directory, record_video=False)
        point = ResumePoint.of(recorder)
        recorder.event(ev.RunResumed(step=step - 1))
        recorder.close()
        assert round(point.budget(Limits()).elapsed_before_s) == 20
