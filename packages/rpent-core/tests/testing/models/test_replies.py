"""Replies over each wire, streamed and whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rpent.testing.models import OVER, Call, ModelServer, Reply, Tokens

from .conftest import ask

CALLS = [Call("look", {"camera": "top"}), Call("look", '{"camera": "to')]
FULL = Reply(
    text="I look twice.", thinking="Where is it?", calls=CALLS, usage=Tokens(input=50, output=7, cached=20)
)


def whole(wire: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return what a reply says, the same for each wire."""
    if wire == "anthropic":
        return said_by_anthropic(body)
    if wire == "chat":
        message = body["choices"][0]["message"]
        calls = [(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls", [])]
        return {
            "text": message["content"],
            "thinking": message.get("reasoning_content"),
            "calls": calls,
            "stop": body["choices"][0]["finish_reason"],
        }
    items = {item["type"]: item for item in body["output"]}
    return {
        "text": items["message"]["content"][0]["text"] if "message" in items else None,
        "thinking": items["reasoning"]["summary"][0]["text"] if "reasoning" in items else None,
        "calls": [(i["name"], i["arguments"]) for i in body["output"] if i["type"] == "function_call"],
        "stop": body["status"],
    }


def said_by_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    blocks = {block["type"]: block for block in body["content"]}
    uses = [block for block in body["content"] if block["type"] == "tool_use"]
    raw = [(u["name"], u["input"] if isinstance(u["input"], str) else json.dumps(u["input"])) for u in uses]
    return {
        "text": blocks.get("text", {}).get("text"),
        "thinking": blocks.get("thinking", {}).get("thinking"),
        "calls": raw,
        "stop": body["stop_reason"],
    }


def joined(wire: str, events: list[Any]) -> dict[str, Any]:
    """Put a stream together, as a client does: from its deltas alone."""
    if wire == "anthropic":
        return said_by_anthropic(joined_anthropic(events))
    if wire == "responses":
        deltas = {
            kind: "".join(e["delta"] for e in events if e["type"] == f"response.{kind}.delta")
            for kind in ("output_text", "reasoning_summary_text")
        }
        done = [e for e in events if e["type"] == "response.function_call_arguments.done"]
        return {
            "text": deltas["output_text"],
            "thinking": deltas["reasoning_summary_text"],
            "calls": [(e["name"], e["arguments"]) for e in done],
            "stop": events[-1]["response"]["status"],
        }
    choices = [event["choices"][0] for event in events[:-1] if event["choices"]]
    deltas = [choice["delta"] for choice in choices]
    calls: dict[int, list[str]] = {}
    for delta in deltas:
        for call in delta.get("tool_calls", []):
            entry = calls.setdefault(call["index"], [call["function"].get("name", ""), ""])
            entry[1] += call["function"]["arguments"]
    return {
        "text": "".join(delta.get("content", "") for delta in deltas),
        "thinking": "".join(delta.get("reasoning_content", "") for delta in deltas),
        "calls": [tuple(calls[index]) for index in sorted(calls)],
        "stop": choices[-1]["finish_reason"],
    }


def joined_anthropic(events: list[Any]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    fields = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "raw": ""})
        elif event["type"] == "content_block_delta":
            delta, block = event["delta"], blocks[event["index"]]
            field = fields.get(delta["type"])
            if field:
                block[field] += delta[field]
            else:
                block["raw"] += delta["partial_json"]
    for block in blocks:
        if block["type"] == "tool_use":
            block["input"] = block["raw"]
    stop = next(event for event in events if event["type"] == "message_delta")
    return {"content": blocks, "stop_reason": stop["delta"]["stop_reason"]}


@pytest.mark.parametrize("stream", [False, True])
def test_text_thinking_and_parallel_calls(wire: str, stream: bool) -> None:
    with ModelServer([FULL]) as server:
        answer = ask(server, wire, stream=stream)
    said = joined(wire, answer.events) if stream else whole(wire, answer.json)
    assert said == {
        "text": "I look twice.",
        "thinking": "Where is it?",
        "calls": [("look", '{"camera": "top"}'), ("look", '{"camera": "to')],
        "stop": {"anthropic": "tool_use", "chat": "tool_calls", "responses": "completed"}[wire],
    }
    assert server.problems == []


def usage_of(wire: str, events: list[Any]) -> dict[str, Any]:
    if wire == "anthropic":
        return next(event["usage"] for event in events if event["type"] == "message_delta")
    if wire == "responses":
        return events[-1]["response"]["usage"]
    return next((event["usage"] for event in events[:-1] if not event["choices"]), {})


def test_usage(wire: str) -> None:
    with ModelServer([FULL]) as server:
        answer = ask(server, wire, stream=True, stream_options={"include_usage": True})
    usage = usage_of(wire, answer.events)
    if wire == "anthropic":
        assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (
            30,
            20,
            7,
        )
    else:
        name = {"chat": "prompt_tokens", "responses": "input_tokens"}[wire]
        assert (usage[name], usage[f"{name}_details"]["cached_tokens"], usage["total_tokens"]) == (50, 20, 57)


def test_chat_streams_usage_only_when_it_is_asked_for() -> None:
    with ModelServer([FULL]) as server:
        assert usage_of("chat", ask(server, "chat", stream=True).events) == {}


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        ("refusal", {"anthropic": "refusal", "chat": "stop", "responses": "completed"}),
        ("filtered", {"anthropic": "refusal", "chat": "content_filter", "responses": "incomplete"}),
        ("length", {"anthropic": "max_tokens", "chat": "length", "responses": "incomplete"}),
    ],
)
def test_ways_to_stop(wire: str, stop: Any, expected: dict[str, str]) -> None:
    with ModelServer([Reply(text="No.", stop=stop)] * 2) as server:
        streamed, body = ask(server, wire, stream=True).events, ask(server, wire).json
    if stop != "refusal" or wire == "anthropic":
        assert joined(wire, streamed)["stop"] == whole(wire, body)["stop"] == expected[wire]
    elif wire == "chat":
        assert "".join(e["choices"][0]["delta"].get("refusal", "") for e in streamed[:-1]) == "No."
        assert body["choices"][0]["message"]["refusal"] == "No."
    else:
        assert [e["delta"] for e in streamed if e["type"] == "response.refusal.delta"] == ["No."]
        assert body["output"][0]["content"] == [{"type": "refusal", "refusal": "No."}]


def test_an_exhausted_script_says_so(wire: str) -> None:
    with ModelServer([]) as server:
        assert whole(wire, ask(server, wire).json)["text"] == OVER


def test_a_request_without_tools_takes_no_step(wire: str) -> None:
    with ModelServer([Reply(text="first")]) as server:
        assert whole(wire, ask(server, wire, tools=[]).json)["text"] == "ok"
        assert whole(wire, ask(server, wire).json)["text"] == "first"
    assert (len(server.requests), len(server.all_requests)) == (1, 2)


def test_a_script_may_be_a_function(wire: str) -> None:
    with ModelServer(lambda request: Reply(text=f"{request.model} has {list(request.tools)}")) as server:
        assert whole(wire, ask(server, wire).json)["text"] == "test-model has ['look']"


def test_what_is_expected_and_not_there_is_a_problem(wire: str) -> None:
    def no_tools(request: Any) -> None:
        assert request.tools == {}, "tools were offered"

    script = [Reply(expect=no_tools), Reply(expect=lambda request: False), Reply(expect=lambda request: None)]
    with ModelServer(script) as server:
        for _ in script:
            assert ask(server, wire).status == 200
    assert [problem.split(":")[0] for problem in server.problems] == [
        "request 1",
        "request 2 is not as expected",
    ]
    assert "tools were offered" in server.problems[0]


@pytest.mark.parametrize("stream", [False, True])
def test_a_test_can_act_while_the_model_speaks(wire: str, stream: bool) -> None:
    heard: list[str] = []
    with ModelServer(
        [Reply(text="one two three", during=lambda request: heard.append(request.wire))]
    ) as server:
        ask(server, wire, stream=stream)
    assert heard == [wire]


def test_a_call_has_the_id_that_the_script_gives(wire: str) -> None:
    with ModelServer([Reply(calls=[Call("look", id="call_0"), Call("look")])]) as server:
        body = ask(server, wire).json
    if wire == "anthropic":
        ids = [block["id"] for block in body["content"]]
    elif wire == "chat":
        ids = [call["id"] for call in body["choices"][0]["message"]["tool_calls"]]
    else:
        ids = [item["call_id"] for item in body["output"]]
    assert ids[0] == "call_0"
    assert ids[1] not in {"", "call_0"}
