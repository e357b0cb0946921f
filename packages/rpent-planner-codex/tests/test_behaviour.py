"""What the planner does with everything that is not a plain call: the real Codex against a scripted model."""

from __future__ import annotations

import threading

import pytest
from rpent.planners.faults import ModelError
from rpent.runs.events import (
    AssistantText,
    Notice,
    ToolCalled,
    ToolReturned,
    TurnStarted,
    UsageReported,
    read_events,
)
from rpent.session.limits import Limits
from rpent.testing import fake_session
from rpent.testing.models import ALWAYS, Call, Fault, Reply, Tokens

pytestmark = pytest.mark.sdk

LOOK = Reply(calls=[Call("look", {})])
FINISH = Reply(calls=[Call("finish", {"status": "success", "summary": "Done."})])
FAR = Call("move_to", {"xyz": [0.3, 0.3, 0.3]})


@pytest.fixture
def play(serve, planner_for, tmp_path):
    """Run a script; returns server, session and events. What the planner raises is in `play.error`."""

    def play_(script, *, fails=False, planner_options=None, **session_options):
        server = serve(script)
        planner = planner_for(server, **(planner_options or {}))
        with fake_session(tmp_path / "run", **session_options) as session:
            play_.session, play_.error = session, None
            thread = threading.Thread(target=run, args=(planner, session), daemon=True)
            thread.start()
            thread.join(60)
            assert not thread.is_alive(), "the planner did not return"
            events = list(read_events(session.recorder.directory.events))
        assert server.problems == []
        if play_.error is not None and not fails:
            raise play_.error
        return server, session, events

    def run(planner, session):
        try:
            planner.run(session)
        except ModelError as error:
            play_.error = error

    return play_


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def kinds(events):
    wanted = {"turn", "thinking", "text", "tool_called", "tool_returned", "usage"}
    return [event.type for event in events if event.type in wanted]


def test_a_turn_is_recorded_in_order(play):
    tokens = Tokens(input=1000, output=50, cached=200, reasoning=10)
    script = [Reply(thinking="Where is it?", text="Looking.", calls=[Call("look", {})], usage=tokens), FINISH]
    options = {"input_usd_per_mtok": 10.0, "output_usd_per_mtok": 100.0}
    server, session, events = play(script, planner_options=options)
    assert kinds(events)[:6] == ["turn", "thinking", "text", "usage", "tool_called", "tool_returned"]
    usage = of(events, UsageReported)[0]
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (1000, 50, 200)
    assert (usage.reasoning_tokens, usage.model) == (10, "test-model")
    assert usage.cost_usd == pytest.approx(0.015)
    assert len(of(events, UsageReported)) == 2
    assert len(server.requests) == 2  # none after `finish`
    assert session.ended.planner_status == "success"


def test_pictures_go_out_and_come_back(play):
    server, session, _ = play([LOOK, FINISH])
    opening = [picture.data for picture in session.opening.images]
    assert server.requests[0].pictures == opening
    assert len(server.requests[1].pictures) == len(opening) + 1
    captions = server.requests[1].results[0].text
    assert "camera" in captions


def test_without_pictures_captions_stay(play):
    server, _, _ = play([LOOK, FINISH], planner_options={"images": False})
    assert server.pictures_seen == []
    assert "[picture left out]" in server.requests[0].text
    assert "[picture left out]" in server.requests[1].results[0].text


def test_calls_of_one_reply_are_carried_out_in_order(play):
    calls = [
        Call("look", {}),
        Call("no_such_tool", {"a": 1}),
        Call("move_to", '{"xyz": [0.1'),
        Call("move_to", {"xyz": "far"}),
        Call("move_to", "[1]"),
        Call("move_to", {"xyz": [0.0, 0.1, 0.2]}),
        Call("look", {}),
    ]
    server, session, events = play([Reply(text="All at once.", calls=calls), FINISH])
    called, returned = of(events, ToolCalled), of(events, ToolReturned)
    assert [event.name for event in called[:7]] == [call.name for call in calls]
    assert {event.turn for event in called[:7]} == {1}
    assert [event.ok for event in returned[:7]] == [True, False, False, False, False, True, True]
    assert [event.executed for event in returned[:7]] == [True, False, False, False, False, True, True]
    assert [event.call_id for event in called] == [event.call_id for event in returned]
    assert len(server.requests[1].results) == 7
    assert session.ended.planner_status == "success"


def test_the_turn_limit_is_the_number_of_requests(play):
    server, session, events = play([LOOK] * 9, limits=Limits(max_turns=3))
    assert session.ended.reason == "turn_limit"
    assert len(server.requests) == 3
    assert len(of(events, ToolReturned)) == 3


def test_a_reply_without_a_call_is_nudged(play):
    server, session, events = play([Reply(text=f"Hm {n}.") for n in range(5)])
    assert session.ended.reason == "finished"
    assert session.ended.planner_status is None
    assert [event.text for event in of(events, AssistantText)] == ["Hm 0.", "Hm 1.", "Hm 2."]
    assert len(server.requests) == 3
    assert "finish" in server.requests[1].last.text


def test_a_message_during_a_tool_comes_with_the_next_request(play):
    def write(_request):
        threading.Timer(0.5, lambda: play.session.send("Mind the glass.")).start()

    script = [Reply(calls=[FAR], expect=write), FINISH]
    server, _, events = play(script, step_time_s=0.05)
    assert "Mind the glass." in server.requests[1].last.text
    assert server.requests[1].results[0].text
    assert not of(events, ToolReturned)[0].cancelled
    assert len(of(events, TurnStarted)) == 2


def test_an_interrupt_during_a_tool_cancels_it_and_the_run_goes_on(play):
    def write(_request):
        threading.Timer(0.7, lambda: play.session.send("Stop!", interrupt=True)).start()

    script = [Reply(calls=[FAR, Call("look", {})], expect=write), FINISH]
    server, session, events = play(script, step_time_s=0.1)
    assert [event.name for event in of(events, ToolReturned)] == ["move_to", "finish"]
    assert of(events, ToolReturned)[0].cancelled
    assert "not executed" in server.requests[1].results[1].text
    assert "cancelled" in server.requests[1].results[0].text
    assert "Stop!" in server.requests[1].last.text
    assert session.ended.planner_status == "success"
    assert len(server.requests) == 2


def test_an_interrupt_breaks_off_a_reply(play):
    def write(_request):
        threading.Timer(0.5, lambda: play.session.send("Other way.", interrupt=True)).start()

    script = [Reply(text="I will now tell a long story about it", slow_s=0.4, during=write), FINISH]
    server, _, events = play(script)
    said = of(events, AssistantText)[0].text
    assert said.startswith("I will")
    assert "about it" not in said
    assert "Other way." in server.requests[1].last.text
    assert [event.turn for event in of(events, TurnStarted)] == [1, 2]


def test_a_message_while_the_model_speaks_is_not_lost(play):
    script = [Reply(text="So then", slow_s=0.2, during=lambda _: play.session.send("Hello?")), FINISH]
    server, _, events = play(script)
    assert "Hello?" in server.requests[1].last.text
    assert not [event for event in events if getattr(event, "origin", "") == "nudge"]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429, retry_after=1),
        Fault(status=429),
        Fault(status=500),
        Fault(drop_after=6),
        Fault(status=503, in_stream=True),
    ],
    ids=["429 with a date", "429", "500", "dropped", "in the stream"],
)
def test_a_passing_fault_is_tried_again(play, fault):
    script = [Reply(text="Once.", calls=[Call("look", {})], fault=fault), FINISH]
    server, session, events = play(script)
    assert session.ended.planner_status == "success"
    assert len(server.requests) == 3
    notices = [event.text for event in of(events, Notice)]
    assert any("Trying again" in text and "(1 of 5)" in text for text in notices), notices
    assert [event.text for event in of(events, AssistantText)] == ["Once."]
    assert [event.name for event in of(events, ToolCalled)] == ["look", "finish"]
    assert [event.turn for event in of(events, TurnStarted)] == [1, 2]


@pytest.mark.parametrize("events", [8, 13])
def test_nothing_of_a_reply_that_broke_off_is_done(play, events, monkeypatch):
    monkeypatch.setattr("rpent_planner_codex.tools.WHOLE_S", 0.3)
    fault = Fault(drop_after=events)
    script = [Reply(text="Once.", calls=[Call("look", {})], fault=fault), FINISH]
    server, session, recorded = play(script)
    assert session.ended.planner_status == "success"
    assert [event.text for event in of(recorded, AssistantText)] == ["Once."]
    assert [event.name for event in of(recorded, ToolCalled)] == ["look", "finish"]
    assert [event.turn for event in of(recorded, TurnStarted)] == [1, 2]
    assert any("(1 of 5)" in event.text for event in of(recorded, Notice))
    assert len(server.requests) == 3


def test_a_fault_that_stays_ends_the_run(play):
    play([Reply(fault=Fault(status=503, times=ALWAYS))], planner_options={"max_retries": 1}, fails=True)
    assert play.error.fault == "overloaded"


@pytest.mark.parametrize(
    ("fault", "expected", "requests"),
    [
        (Fault(kind="context", times=ALWAYS), "context", 2),
        (Fault(status=401), "key", 1),
        (Fault(kind="credit"), "credit", 1),
    ],
)
def test_a_fault_that_does_not_pass_ends_it_at_once(play, fault, expected, requests):
    server, _, _ = play([Reply(fault=fault)] * 9, fails=True)
    assert play.error.fault == expected
    assert len(server.requests) == requests
    assert "test-key" not in play.error.message


@pytest.mark.parametrize("stop", ["refusal", "filtered"])
def test_a_refusal_ends_the_session(play, stop):
    server, session, _ = play([Reply(text="I cannot do that.", stop=stop)] * 9)
    assert session.ended.reason == "finished"
    assert session.ended.planner_status is None
    assert "refused" in session.ended.detail
    assert len(server.requests) == 1


def test_a_reply_that_was_cut_goes_on(play):
    _, session, events = play([Reply(text="A long", stop="length"), FINISH])
    assert session.ended.planner_status == "success"
    assert of(events, AssistantText)[0].text == "A long"
    assert "cut off" in of(events, Notice)[0].text
    assert [event.turn for event in of(events, TurnStarted)] == [1, 2]


def test_the_cost_limit_ends_it_before_the_call(play):
    tokens = Tokens(input=1_000_000, output=0)
    script = [Reply(calls=[Call("look", {})], usage=tokens)] * 9
    server, session, events = play(
        script, limits=Limits(cost_limit_usd=0.5), planner_options={"input_usd_per_mtok": 1.0}
    )
    assert session.ended.reason == "cost_limit"
    assert len(server.requests) == 1
    assert of(events, ToolCalled) == []


def test_the_time_limit_breaks_off_a_reply(play):
    script = [Reply(text="a b c d e f g h i j k l m n", slow_s=1.0)]
    _, session, _ = play(script, limits=Limits(time_limit_s=2.0))
    assert session.ended.reason == "time_limit"


def test_a_long_conversation_is_summarised(play):
    long = Tokens(input=60_000)
    script = [Reply(text="First.", calls=[Call("look", {})], usage=long), FINISH]
    server, session, events = play(script, planner_options={"context_window": 40_000})
    assert session.ended.planner_status == "success"
    assert any("summarised" in event.text for event in of(events, Notice))
    assert [event.turn for event in of(events, TurnStarted)] == [1, 2]
    assert len(server.all_requests) == 3


def test_a_conversation_that_the_server_finds_too_long_is_summarised(play):
    script = [LOOK, Reply(calls=[Call("look", {})], fault=Fault(kind="context")), FINISH]
    server, session, events = play(script)
    assert session.ended.planner_status == "success"
    assert [event.turn for event in of(events, TurnStarted)] == [1, 2, 3]
    assert any("summarised" in event.text for event in of(events, Notice))
    assert len(server.all_requests) == len(server.requests) + 1


def test_a_resumed_run_knows_what_was_said(play):
    history = [
        {"role": "system", "text": "S", "user": "U"},
        {"role": "assistant", "turn": 1, "text": "The red cube is left."},
        {"role": "assistant", "turn": 1, "call_id": "c1", "tool": "look", "arguments": {}},
        {
            "role": "tool",
            "call_id": "c1",
            "tool": "look",
            "ok": True,
            "text": '{"seen": "cube"}',
            "images": [],
        },
    ]
    server, session, _ = play([FINISH], history=history)
    first = server.requests[0]
    assert "The red cube is left." in first.text
    assert '{"seen": "cube"}' in first.text
    assert first.pictures == [picture.data for picture in session.opening.images]
