"""What goes between the model and the session, the same over each wire."""

from __future__ import annotations

import json

import pytest
from rpent.planners.faults import ModelError
from rpent.runs.events import (
    AssistantText,
    AssistantThinking,
    ToolCalled,
    ToolReturned,
    UsageReported,
    UserMessage,
)
from rpent.session.limits import Limits
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import Call, Reply, Tokens
from rpent.testing.models.request import Picture

from .stage import FINISH, Stage, config

LOOK = Call("look", {"size": 64})


def test_a_turn_is_recorded_in_order(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(thinking="Where?", text="I look.", calls=[LOOK]), FINISH], provider)
    expected = [
        "turn",
        "thinking",
        "text",
        "tool_called",
        "tool_returned",
        "turn",
        "tool_called",
        "session_ended",
    ]
    assert played.types == [*expected, "tool_returned"]
    assert [event.text for event in played.of(AssistantThinking, AssistantText)] == ["Where?", "I look."]


def test_the_task_is_solved_and_finish_is_the_last_request(stage: Stage, provider: str) -> None:
    script = [Reply(calls=[Call(name, arguments)]) for name, arguments in solution()]
    played = stage.play(script, provider)
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "success"
    assert len(played.server.requests) == len(script)


def test_the_model_gets_prompts_tools_and_the_opening_pictures(stage: Stage, provider: str) -> None:
    played = stage.play([FINISH], provider)
    request, session = played.server.last, played.session
    assert request.system.strip() == session.prompts.system.strip()
    assert request.tools == {tool.name: tool.schema for tool in session.tools}
    assert request.turns[0].texts[0] == session.prompts.user
    caption, picture = request.turns[0].parts[-2:]
    assert caption == "top, 256x256, now:"
    assert isinstance(picture, Picture)
    assert picture.data == session.opening.images[0].data


def test_each_picture_follows_its_caption(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(calls=[LOOK, Call("look", {"size": 128})]), FINISH], provider)
    parts = played.server.last.last.parts
    before = [parts[index - 1] for index, part in enumerate(parts) if isinstance(part, Picture)]
    assert before == ["top, 64x64:", "top, 128x128:"]
    recorded = [image for event in played.of(ToolReturned) for image in event.images]
    folder = played.session.recorder.directory.path
    assert [(folder / image["path"]).read_bytes() for image in recorded] == played.server.last.last.pictures


def test_without_pictures_their_captions_stay(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(calls=[LOOK]), FINISH], provider, options={"images": False})
    assert played.server.pictures_seen == []
    assert "top, 64x64: [picture left out]" in played.server.last.results[0].text


def test_calls_of_one_reply_run_one_after_the_other(stage: Stage, provider: str) -> None:
    calls = [Call("move_to", {"xyz": [0.1, 0.1, 0.3]}), LOOK, Call("set_gripper", {"gripper": "close"})]
    played = stage.play([Reply(calls=calls), FINISH], provider)
    events = played.of(ToolCalled, ToolReturned)[:6]
    assert [event.type for event in events] == ["tool_called", "tool_returned"] * 3
    assert [event.name for event in events[::2]] == ["move_to", "look", "set_gripper"]
    assert {event.turn for event in events[::2]} == {1}
    assert [result.call_id for result in played.server.last.results] == [
        event.call_id for event in events[::2]
    ]


def test_nothing_is_called_behind_finish(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(calls=[*FINISH.calls, LOOK])], provider)
    assert [event.name for event in played.of(ToolCalled)] == ["finish"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (Call("move_to", '{"xyz": [0.1, 0.'), "The arguments are not valid JSON"),
        (Call("move_to", "[1, 2]"), "object"),
        (Call("move_to", {"xyz": "far"}), "Wrong arguments for `move_to`"),
        (Call("move_too", {"xyz": [0, 0, 0.2]}), "There is no tool `move_too`; did you mean `move_to`?"),
    ],
    ids=["truncated", "no-object", "wrong", "unknown"],
)
def test_the_session_says_what_is_wrong_with_a_call(
    stage: Stage, provider: str, call: Call, sentence: str
) -> None:
    if provider == "anthropic" and call.raw.startswith("["):
        pytest.skip("the wire carries objects only")
    played = stage.play([Reply(calls=[call]), FINISH], provider)
    returned = played.of(ToolReturned)[0]
    assert (returned.ok, returned.executed) == (False, False)
    assert sentence in returned.text
    assert played.server.last.results[0].text == returned.text


def test_a_model_may_err_as_often_as_it_has_turns(stage: Stage) -> None:
    script = [Reply(calls=[Call("move_to", {"xyz": "far"}), Call("nope", {})])] * 12
    played = stage.play([*script, FINISH])
    assert len(played.of(ToolReturned)) == 25
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"


def test_a_silent_model_is_nudged_twice(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(text="Hm."), Reply(text="Well."), Reply(text="So.")], provider)
    assert [event.origin for event in played.of(UserMessage)] == ["nudge", "nudge"]
    assert "without calling `finish`" in played.server.last.last.text
    assert played.session.ended is not None
    assert (played.session.ended.reason, played.session.ended.planner_status) == ("finished", None)


def test_an_empty_reply_is_nudged_too(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(), FINISH], provider)
    assert len(played.of(UserMessage)) == 1
    assert played.session.ended is not None
    assert played.session.ended.planner_status == "failure"


def test_a_reply_that_was_cut_off_is_told_so(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(text="So much to say", stop="length"), FINISH], provider)
    assert any("cut off" in notice for notice in played.notices)
    assert "cut off at 8192 tokens" in played.server.last.last.text


def test_a_refusal_ends_the_session(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(text="I must not.", stop="refusal"), FINISH], provider)
    ended = played.session.ended
    assert ended is not None
    assert (ended.reason, ended.planner_status) == ("finished", None)
    assert ended.detail.startswith("The model refused")
    assert len(played.server.requests) == 1


def test_a_content_filter_is_a_refusal(stage: Stage) -> None:
    for provider in ("openai", "openai-chat"):
        played = stage.play([Reply(text="I", stop="filtered")], provider)
        assert played.session.ended is not None
        assert played.session.ended.detail.startswith("The model refused")


def test_turns_are_requests(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(calls=[LOOK])] * 9, provider, limits=Limits(max_turns=3))
    assert played.session.ended is not None
    assert played.session.ended.reason == "turn_limit"
    assert len(played.server.requests) == 3
    assert len([event for event in played.of(ToolReturned) if event.executed]) == 3


def test_usage_and_its_cost_are_reported_for_each_reply(stage: Stage, provider: str) -> None:
    tokens = Tokens(input=1000, output=50, cached=400)
    prices = {"input_usd_per_mtok": 2.0, "output_usd_per_mtok": 10.0}
    played = stage.play([Reply(calls=[LOOK], usage=tokens), FINISH], provider, options=prices)
    first = played.of(UsageReported)[0]
    assert (first.input_tokens, first.output_tokens, first.cache_read_tokens) == (1000, 50, 400)
    assert first.model == "test-model"
    assert first.cost_usd == pytest.approx(0.0025)
    assert played.session.budget.usage.requests == 2


def test_a_cost_limit_ends_it(stage: Stage, provider: str) -> None:
    prices = {"input_usd_per_mtok": 1000.0}
    played = stage.play(
        [Reply(calls=[LOOK])] * 9, provider, options=prices, limits=Limits(cost_limit_usd=0.25)
    )
    assert played.session.ended is not None
    assert played.session.ended.reason == "cost_limit"
    assert len(played.server.requests) == 3


def test_call_ids_of_a_server_that_numbers_anew_stay_apart(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpent.testing.models.chat.number", lambda prefix: f"{prefix}0")
    played = stage.play([Reply(calls=[LOOK])] * 3 + [FINISH], "openai-chat")
    identities = [event.call_id for event in played.of(ToolCalled)]
    assert len(set(identities)) == 4


def test_options_reach_the_wire(stage: Stage) -> None:
    options = {"max_tokens": 1234, "temperature": 0.5, "reasoning_effort": "low"}
    chat = stage.play([FINISH], "openai-chat", options=options).server.last.body
    assert (chat["max_tokens"], chat["temperature"], chat["reasoning_effort"]) == (1234, 0.5, "low")
    responses = stage.play([FINISH], "openai", options=options).server.last.body
    assert (responses["max_output_tokens"], responses["reasoning"]["effort"]) == (1234, "low")
    messages = stage.play([FINISH], "anthropic", options=options | {"temperature": None}).server.last.body
    assert messages["max_tokens"] == 1234


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "high"])
def test_thinking_fits_into_a_reply(stage: Stage, effort: str) -> None:
    server = stage.serve([FINISH], models=("claude-sonnet-4-5",))
    options = config(server, model="anthropic:claude-sonnet-4-5", reasoning_effort=effort)
    body = stage.start(server, stage.session(), options).join().server.last.body
    assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"] == 8192


def test_an_option_that_a_model_does_not_take_is_a_notice(stage: Stage) -> None:
    server = stage.serve([Reply(calls=[LOOK]), FINISH], models=("claude-opus-4-8",))
    options = config(server, model="anthropic:claude-opus-4-8", temperature=0.5)
    played = stage.start(server, stage.session(), options).join()
    assert len([notice for notice in played.notices if "temperature" in notice]) == 1
    assert "temperature" not in played.server.last.body


def test_anthropics_prompt_cache_is_used(stage: Stage) -> None:
    body = stage.play([FINISH]).server.last.body
    assert body["system"][-1]["cache_control"]["type"] == "ephemeral"
    assert body["tools"][-1]["cache_control"]["type"] == "ephemeral"
    assert "cache_control" in json.dumps(body["messages"]) or "cache_control" in body


def test_no_request_is_sent_for_a_session_that_is_over(stage: Stage) -> None:
    played = stage.play([FINISH], limits=Limits(max_turns=1))
    assert not [error for error in played.errors if isinstance(error, ModelError)]
    assert len(played.server.requests) == 1
