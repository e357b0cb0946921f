"""What the user says and does while the model speaks or the robot moves, and the end of a session meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rpent.runs.events import AssistantText, ToolCalled, ToolReturned, TurnStarted
from rpent.runs.outcome import Ending
from rpent.session.limits import Limits
from rpent.testing.models import Call, Fault, Reply, Request

from .stage import FINISH, Played, Stage

FAR = Call("move_to", {"xyz": [0.3, 0.3, 0.3]})
LOOK = Call("look", {"size": 64})


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def test_a_message_reaches_the_model_with_the_next_request(stage: Stage, provider: str) -> None:
    played: list[Played] = []

    def speak(_: Request) -> None:
        wait_for(lambda: played)
        played[0].session.send("Mind the cup.")

    script = [Reply(text="One", calls=[LOOK], during=speak), Reply(calls=[LOOK]), FINISH]
    played.append(stage.begin(script, provider))
    played[0].join()
    requests = played[0].server.requests
    assert "Mind the cup." not in requests[0].text
    assert requests[1].last.texts[-1] == "Mind the cup."
    assert requests[2].text.count("Mind the cup.") == 1


def test_an_interrupt_of_a_motion_tells_the_model_both(stage: Stage, provider: str) -> None:
    played = stage.begin([Reply(calls=[FAR, LOOK]), FINISH], provider, step_time_s=0.1)
    wait_for(lambda: played.of(ToolCalled))
    time.sleep(0.3)
    played.session.send("Stop, go left.", interrupt=True)
    played.join()
    first, second = played.server.last.results
    assert "cancelled" in first.text
    assert "user interrupted" in second.text
    assert played.server.last.last.texts[-1] == "Stop, go left."
    assert [event.name for event in played.of(ToolCalled)] == ["move_to", "finish"]
    assert len(played.of(TurnStarted)) == 2
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"


def test_an_interrupt_of_a_reply_keeps_what_was_said(stage: Stage, provider: str) -> None:
    slow = Reply(text="I will move the cube very far away now", calls=[FAR], slow_s=0.2)
    spoken = threading.Event()
    slow = Reply(text=slow.text, calls=slow.calls, slow_s=0.2, during=lambda _: spoken.set())
    played = stage.begin([slow, FINISH], provider)
    assert spoken.wait(20)
    time.sleep(0.3)
    played.session.send("Wait!", interrupt=True)
    played.join()
    said = played.of(AssistantText)[0].text
    assert slow.text.startswith(said)
    assert said != slow.text
    assert [event.name for event in played.of(ToolCalled)] == ["finish"]
    assert played.server.last.turns[1].text.strip() == said.strip()
    assert played.server.last.last.texts[-1] == "Wait!"


def test_an_interrupt_before_the_first_word(stage: Stage, provider: str) -> None:
    played = stage.begin([Reply(text="Slow", delay_s=10.0), FINISH], provider)
    wait_for(lambda: played.server.requests)
    played.session.send("Hurry.", interrupt=True)
    played.join()
    assert played.server.last.last.texts[-1] == "Hurry."
    assert len(played.server.last.turns) == 1


def test_the_sessions_end_aborts_a_reply(stage: Stage, provider: str) -> None:
    slow = Reply(text="Let me think about that for a long while", slow_s=1.0)
    played = stage.begin([slow, FINISH], provider, limits=Limits(time_limit_s=1.0))
    played.join()
    assert played.session.ended is not None
    assert played.session.ended.reason == "time_limit"
    assert len(played.server.requests) == 1


def test_the_sessions_end_aborts_a_pause(stage: Stage) -> None:
    fault = Fault(status=429, retry_after=60.0)
    played = stage.begin([Reply(text="Later", fault=fault)])
    wait_for(lambda: played.notices)
    played.session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
    played.join()
    assert len(played.server.requests) == 1


def test_a_user_who_is_there_has_the_word_after_an_interrupt(stage: Stage) -> None:
    played = stage.begin([Reply(calls=[FAR]), FINISH], interactive=True, step_time_s=0.1)
    wait_for(lambda: played.of(ToolCalled))
    played.session.interrupt("The user interrupted.")
    wait_for(lambda: played.of(ToolReturned))
    time.sleep(0.5)
    assert len(played.server.requests) == 1
    played.session.send("Enough.")
    played.join()
    assert played.server.last.last.texts[-1] == "Enough."


def test_a_silent_model_waits_for_the_user(stage: Stage) -> None:
    played = stage.begin([Reply(text="What now?"), FINISH], interactive=True)
    wait_for(lambda: played.of(AssistantText))
    time.sleep(0.3)
    assert len(played.server.requests) == 1
    played.session.send("Finish.")
    played.join()
    assert played.server.last.last.texts[-1] == "Finish."


def test_a_user_acts_after_an_interrupt_and_the_model_hears_of_it(stage: Stage, provider: str) -> None:
    played = stage.begin([Reply(calls=[FAR]), FINISH], provider, interactive=True, step_time_s=0.05)
    wait_for(lambda: played.of(ToolCalled))
    time.sleep(0.2)
    played.session.interrupt("The user interrupted.")
    wait_for(lambda: played.session.awaiting)
    reply = played.session.user_call("move_to", {"xyz": [0.0, 0.0, 0.2]})
    assert reply.data["ok"]
    assert len(played.server.requests) == 1
    played.session.send("I moved it back.")
    played.join()
    told = played.server.last.last.texts[-1]
    assert told.startswith("While you waited, the user called tools themselves:\n- `move_to`")
    assert told.endswith("I moved it back.")
    assert len(played.server.last.results) == 1, "the model is answered for its own call only"
    assert played.server.problems == []
    assert [event.origin for event in played.of(ToolCalled)] == ["planner", "user", "planner"]


def test_a_user_may_finish_for_a_silent_model(stage: Stage, provider: str) -> None:
    played = stage.begin([Reply(text="What now?")], provider, interactive=True)
    wait_for(lambda: played.session.awaiting)
    assert played.session.user_call("finish", {"status": "failure", "summary": "By hand."}).ended
    played.join()
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"
    assert len(played.server.requests) == 1


def test_a_model_that_goes_on_waits_for_the_users_motion(stage: Stage) -> None:
    played = stage.begin(
        [Reply(text="What now?"), Reply(calls=[LOOK]), FINISH], interactive=True, step_time_s=0.1
    )
    wait_for(lambda: played.session.awaiting)
    user = threading.Thread(target=played.session.user_call, args=("move_to", {"xyz": [0.3, 0.3, 0.3]}))
    user.start()
    wait_for(lambda: played.of(ToolCalled))
    played.session.send("Go on.")
    played.join()
    user.join()
    assert [event.name for event in played.of(ToolReturned)] == ["move_to", "look", "finish"]
    assert "still under way" in played.server.requests[1].last.texts[-1]


def test_a_user_who_stops_their_own_motion_does_not_stop_the_model(stage: Stage) -> None:
    played = stage.begin([Reply(text="What now?"), FINISH], interactive=True, step_time_s=0.1)
    wait_for(lambda: played.session.awaiting)
    user = threading.Thread(target=played.session.user_call, args=("move_to", {"xyz": [0.3, 0.3, 0.3]}))
    user.start()
    wait_for(lambda: played.of(ToolCalled))
    played.session.interrupt("The user interrupted.")
    user.join(10)
    assert [event.cancelled for event in played.of(ToolReturned)] == [True]
    assert played.session.awaiting
    played.session.send("Finish.")
    played.join()
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"
