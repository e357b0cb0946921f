"""A response is put together from the events of its stream."""

from __future__ import annotations

from typing import Any

import pytest
from rpent_planner_claude_code.response import Call, Response


def delta(index: int, kind: str, text: str) -> dict[str, Any]:
    field = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}[kind]
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, field: text}}


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


@pytest.fixture
def response() -> Response:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20}
    made = Response.begun({"model": "m", "usage": {**usage, "output_tokens": 1}})
    for event in (
        start(0, type="thinking", thinking=""),
        delta(0, "thinking_delta", "Let me "),
        delta(0, "thinking_delta", "see."),
        start(1, type="text", text=""),
        delta(1, "text_delta", "I look"),
        delta(1, "text_delta", "."),
        start(2, type="tool_use", id="t1", name="mcp__robot__look", input={}),
        delta(2, "input_json_delta", '{"size"'),
        delta(2, "input_json_delta", ": 64"),
    ):
        made.add(event)
    return made


def test_what_is_said_thought_and_called(response: Response) -> None:
    assert response.thinking == "Let me see."
    assert response.text == "I look."
    assert response.calls == [Call("t1", "look", '{"size": 64')]


def test_it_is_whole_when_the_reason_of_its_end_has_come(response: Response) -> None:
    assert response.stop_reason is None
    response.add(
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}
    )
    assert response.stop_reason == "tool_use"
    assert response.usage.output_tokens == 9


def test_input_counts_what_was_cached_too(response: Response) -> None:
    usage = response.usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (100, 70, 20)


def test_zeros_at_the_end_do_not_wipe_the_beginning(response: Response) -> None:
    late = {"input_tokens": 0, "output_tokens": 5}
    response.add({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": late})
    assert response.usage.input_tokens == 100


def test_a_foreign_tool_keeps_its_name() -> None:
    made = Response()
    made.add(start(0, type="tool_use", id="t", name="Bash", input={}))
    assert made.calls == [Call("t", "Bash", "")]
