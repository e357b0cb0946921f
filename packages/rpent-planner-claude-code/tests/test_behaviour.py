"""What Claude Code does by itself, and what becomes of it in the session."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import pytest
from rpent.planners.faults import ModelError
from rpent.runs.events import AssistantText, TurnStarted, UsageReported
from rpent.runs.outcome import Ending
from rpent.session.limits import Limits
from rpent.testing.models import ALWAYS, Call, Fault, Reply, Tokens

from .processes import claude_processes
from .stage import FAR, FINISH, LOOK, Played, Stage, config

pytestmark = pytest.mark.sdk

EVENTS_TO_THE_END_OF_A_CALL = 6
"""Of a reply with one call: its start, a ping, and the call's block; what is missing is the reply's own end."""


@pytest.mark.parametrize("drop_after", [0, 1, 3, EVENTS_TO_THE_END_OF_A_CALL])
def test_nothing_of_a_reply_that_broke_off_is_carried_out(stage: Stage, drop_after: int) -> None:
    broken = Reply(calls=[FAR, FAR], fault=Fault(drop_after=drop_after))
    played = stage.play([Reply(calls=[LOOK]), broken, FINISH])
    assert played.errors == []
    assert played.called == ["look", "move_to", "move_to", "finish"]
    assert len(played.of(TurnStarted)) == 3
    assert len([text for text in played.notices if "Trying again" in text]) == 1


def test_a_model_that_calls_nothing_but_unknown_tools_is_held_by_the_turn_limit(stage: Stage) -> None:
    played = stage.play([Reply(calls=[Call("nope")])] * 5, limits=Limits(max_turns=2))
    assert played.session.ended is not None
    assert played.session.ended.reason == "turn_limit"
    assert len(played.server.requests) == 2
    assert [event.executed for event in played.returned] == [False, False]


def test_no_reminder_beyond_the_turn_limit(stage: Stage) -> None:
    played = stage.play([Reply(text="Hm.")] * 5, limits=Limits(max_turns=1))
    assert played.session.ended is not None
    assert played.session.ended.reason == "turn_limit"
    assert len(played.server.requests) == 1


def test_an_interrupt_leaves_out_the_rest_of_the_calls(stage: Stage) -> None:
    played = stage.begin([Reply(calls=[FAR, LOOK]), FINISH], step_time_s=0.1)
    played.wait_for(lambda: played.called)
    played.session.send("Stop, go left.", interrupt=True)
    played.join()
    first, second = played.server.last.results
    assert "cancelled" in first.text
    assert "user interrupted" in second.text
    assert "Stop, go left." in played.server.last.text
    assert played.called == ["move_to", "finish"]


def test_an_interrupt_of_the_reply_to_a_message(stage: Stage) -> None:
    played: list[Played] = []
    speak = Reply(
        text="word " * 100,
        slow_s=0.2,
        during=lambda _: played[0].session.send("No, the other one.", interrupt=True),
    )
    played.append(stage.begin([Reply(calls=[FAR]), speak, FINISH], step_time_s=0.05))
    played[0].wait_for(lambda: played[0].called)
    played[0].session.send("Take the cup.")
    played[0].join()
    text = played[0].server.last.text
    assert "Take the cup." in text
    assert "No, the other one." in text
    assert len(played[0].server.requests) == 3


def test_an_interrupt_before_the_first_word(stage: Stage) -> None:
    played = stage.begin([Reply(text="Slow", delay_s=20.0), FINISH])
    played.wait_for(lambda: played.server.requests)
    played.session.send("Hurry.", interrupt=True)
    played.join()
    assert "Hurry." in played.server.last.text
    assert played.of(AssistantText) == []


def test_what_was_said_before_an_interrupt_is_kept(stage: Stage) -> None:
    slow = Reply(text="I will move the cube very far away now", calls=[FAR], slow_s=0.2)
    played = stage.begin([slow, FINISH])
    played.wait_for(lambda: played.of(TurnStarted))
    played.wait_for(lambda: len(played.server.requests) == 1)
    played.session.cancel.wait(0.5)
    played.session.send("Wait!", interrupt=True)
    played.join()
    said = played.of(AssistantText)[0].text
    assert slow.text.startswith(said)
    assert said != slow.text
    assert said in played.server.last.text
    assert played.called == ["finish"]


def test_a_user_who_is_there_has_the_word_after_an_interrupt(stage: Stage) -> None:
    played = stage.begin([Reply(calls=[FAR]), FINISH], interactive=True, step_time_s=0.1)
    played.wait_for(lambda: played.called)
    played.session.interrupt()
    played.wait_for(lambda: played.returned)
    played.session.cancel.wait(0.5)
    assert len(played.server.requests) == 1
    played.session.send("Enough.")
    played.join()
    assert "Enough." in played.server.last.text


def test_a_silent_model_waits_for_the_user(stage: Stage) -> None:
    played = stage.begin([Reply(text="What now?"), FINISH], interactive=True)
    played.wait_for(lambda: played.of(AssistantText))
    played.session.cancel.wait(0.5)
    assert len(played.server.requests) == 1
    played.session.send("Finish.")
    played.join()
    assert played.server.last.last.texts[-1] == "Finish."


def test_the_sessions_end_ends_a_pause_between_attempts(stage: Stage) -> None:
    played = stage.begin([Reply(text="Later", fault=Fault(status=429, retry_after=60.0))])
    played.wait_for(lambda: played.notices)
    played.session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
    played.join()
    assert len(played.server.requests) == 1
    assert claude_processes() == {}


def test_the_conversation_is_summarised_in_time(stage: Stage) -> None:
    looks = [Reply(text=f"Look {n}.", calls=[LOOK]) for n in range(3)]
    full = Reply(calls=[LOOK], usage=Tokens(input=150_000))
    played = stage.play([*looks, full, FINISH], {"context_window": 100_000})
    assert any("Claude Code summarised" in text for text in played.notices)
    assert "The conversation so far." in played.server.last.text
    assert played.called == ["look"] * 4 + ["finish"]


def test_a_conversation_that_stays_too_long_is_begun_anew_then_given_up(stage: Stage) -> None:
    script = [Reply(text="I look.", calls=[LOOK]), Reply(fault=Fault(kind="context", times=ALWAYS))]
    played = stage.play(script)
    assert [type(error) for error in played.errors] == [ModelError]
    assert played.errors[0].fault == "context"  # type: ignore[attr-defined]
    assert [text for text in played.notices if "begun anew" in text] == played.notices[-2:]
    anew = played.server.last
    assert played.session.prompts.user in anew.text
    assert "You said: I look." in anew.text
    assert anew.turns[-1].role == "user"


def test_a_process_that_dies_is_told(stage: Stage) -> None:
    played = stage.begin([Reply(text="word " * 200, slow_s=0.2)])
    played.wait_for(lambda: played.of(TurnStarted))
    (pid,) = claude_processes()
    os.kill(pid, signal.SIGKILL)
    played.join()
    (error,) = played.errors
    assert isinstance(error, ModelError)
    assert error.message == "Claude Code stopped unexpectedly (exit code -9)."
    log = played.session.recorder.directory.logs / "run.log"
    assert "whose last words were" in log.read_text()


def test_listed_prices(stage: Stage) -> None:
    name = "claude-sonnet-4-5"
    server = stage.serve([FINISH], models=(name,))
    played = stage.start(server, stage.session(), config(server, model=name)).join()
    (usage,) = played.of(UsageReported)
    assert usage.model == name
    assert usage.cost_usd == pytest.approx(100 * 3e-6 + 20 * 15e-6)


def test_what_the_options_ask_for(stage: Stage) -> None:
    asked = {"thinking": False, "reasoning_effort": "low", "max_tokens": 1234, "images": False}
    body: dict[str, Any] = stage.play([Reply(calls=[LOOK]), FINISH], asked).server.last.body
    assert "thinking" not in body
    assert body["output_config"]["effort"] == "low"
    assert body["max_tokens"] == 1234
    assert '"type": "image"' not in str(body)


def test_a_long_system_prompt(stage: Stage) -> None:
    session = stage.session()
    session.prompts = replace(session.prompts, system="word " * 40_000 + "the end")
    server = stage.serve([FINISH])
    stage.start(server, session, config(server)).join()
    assert session.prompts.system in server.last.system


def test_plain_requests_for_other_servers(stage: Stage) -> None:
    played: Played = stage.begin([Reply(calls=[FAR]), FINISH], step_time_s=0.05)
    played.wait_for(lambda: played.called)
    played.session.send("Mind the cup.")
    played.join()
    roles = {message["role"] for message in played.server.last.body["messages"]}
    assert roles == {"user", "assistant"}
    assert "context_management" not in played.server.last.body
