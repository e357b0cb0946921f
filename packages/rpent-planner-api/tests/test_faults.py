"""What the provider does wrong: what passes is tried again and recorded, what does not is one sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rpent.planners.faults import ModelError
from rpent.runs.events import AssistantText, ToolCalled, TurnStarted
from rpent.testing.models import ALWAYS, Call, Fault, Reply

from .stage import FINISH, Played, Stage

LOOK = Call("look", {"size": 64})


def failed(played: Played) -> ModelError:
    """Return the error that the planner raised."""
    assert len(played.errors) == 1
    assert isinstance(played.errors[0], ModelError)
    return played.errors[0]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_passing_fault_is_tried_again(stage: Stage, provider: str, status: int) -> None:
    script = [Reply(text="Back.", calls=[LOOK], fault=Fault(status=status, times=2)), FINISH]
    played = stage.play(script, provider)
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"
    assert len(played.notices) == 2
    assert re.search(r"Trying again in [\d.]+ s \(2 of 5\)", played.notices[1])
    assert len(played.server.requests) == 4, "the client must not try again by itself"
    assert len(played.of(TurnStarted)) == 2


@pytest.mark.parametrize("kind", ["overloaded", "server", "rate_limit"])
def test_a_fault_in_the_middle_of_a_stream(stage: Stage, provider: str, kind: Any) -> None:
    fault = Fault(kind=kind, in_stream=True, drop_after=None)
    played = stage.play([Reply(text="Back.", calls=[LOOK], fault=fault), FINISH], provider)
    assert played.errors == []
    assert [event.name for event in played.of(ToolCalled)] == ["look", "finish"]
    assert len(played.notices) == 1


def test_the_provider_says_how_long_to_wait(stage: Stage, provider: str) -> None:
    script = [Reply(calls=[LOOK], fault=Fault(status=429, retry_after=1)), FINISH]
    played = stage.play(script, provider)
    assert "Trying again in 1.0 s (1 of 5)" in played.notices[0]


@pytest.mark.parametrize("clean", [False, True], ids=["broken", "clean"])
@pytest.mark.parametrize("after", [0, 2, 5])
def test_nothing_of_a_dropped_stream_is_carried_out(
    stage: Stage, provider: str, after: int, clean: bool
) -> None:
    fault = Fault(drop_after=after, clean=clean)
    script = [Reply(text="I look around.", calls=[LOOK], fault=fault), FINISH]
    played = stage.play(script, provider)
    assert played.errors == []
    assert [event.name for event in played.of(ToolCalled)] == ["look", "finish"]
    assert [event.text for event in played.of(AssistantText)] == ["I look around."]
    assert len(played.notices) == 1


@pytest.mark.parametrize(
    ("fault", "meaning"),
    [
        (Fault(status=500, times=ALWAYS), "overloaded"),
        (Fault(kind="rate_limit", times=ALWAYS), "rate_limit"),
        (Fault(kind="credit", times=ALWAYS), "credit"),
        (Fault(kind="key", times=ALWAYS), "key"),
        (Fault(kind="model", times=ALWAYS), "model"),
        (Fault(kind="context", times=ALWAYS), "context"),
        (Fault(kind="request", times=ALWAYS), "request"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_pass_is_one_sentence(stage: Stage, provider: str, fault: Fault, meaning: str) -> None:
    played = stage.play([Reply(fault=fault)], provider, options={"max_retries": 1})
    error = failed(played)
    assert error.fault == meaning
    assert error.hint
    assert "test-key" not in error.message
    assert len(played.server.requests) == (2 if error.retryable else 1)


def test_a_server_that_went_away(stage: Stage, provider: str) -> None:
    server_gone = Reply(calls=[LOOK], during=lambda _: None)
    played = stage.begin(
        [server_gone], provider, options={"max_retries": 1, "base_url": "http://127.0.0.1:9"}
    )
    played.join()
    assert failed(played).fault == "unreachable"


def test_an_overlong_conversation_is_halved(stage: Stage, provider: str) -> None:
    looks = [Reply(text=f"Look {number}.", calls=[LOOK]) for number in range(8)]
    script = [*looks, Reply(calls=[LOOK], fault=Fault(kind="context")), FINISH]
    played = stage.play(script, provider)
    assert played.errors == []
    refused, accepted = played.server.requests[8:10]
    assert len(accepted.turns) < len(refused.turns)
    assert accepted.turns[0].texts[0] == played.session.prompts.user
    assert "Earlier turns were left out" in accepted.turns[0].text
    assert accepted.last.pictures == refused.last.pictures
    assert len(accepted.pictures) == 1
    assert any("too long for the model" in notice for notice in played.notices)


def test_a_conversation_that_stays_too_long_ends_the_run(stage: Stage) -> None:
    looks = [Reply(calls=[LOOK])] * 6
    played = stage.play([*looks, Reply(fault=Fault(kind="context", times=ALWAYS))])
    assert failed(played).fault == "context"
    assert len(played.server.requests) <= 6 + 4


def test_a_model_without_eyes_is_told_about_the_option(stage: Stage, provider: str) -> None:
    message = "This model does not support image input."
    played = stage.play([Reply(fault=Fault(status=400, message=message, times=ALWAYS))], provider)
    error = failed(played)
    assert error.fault == "images"
    assert "--no-images" in (error.hint or "")
