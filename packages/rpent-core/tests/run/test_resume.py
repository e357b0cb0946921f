"""What a resumed run has spent already."""

from rpent.run.resume import ResumePoint
from rpent.runs import events as ev
from rpent.session.limits import Limits


def spent(*events):
    stamped = []
    for time, event in events:
        event.time = time
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
