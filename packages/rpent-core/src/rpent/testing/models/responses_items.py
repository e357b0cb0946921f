"""The output items of a Responses reply, and the events that stream them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.testing.models.wire import address, halves, number, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.testing.models.request import Request
    from rpent.testing.models.script import Call, Reply

Event = tuple[str, dict[str, Any]]


def output_items(reply: Reply, request: Request) -> list[dict[str, Any]]:
    """Return the items of a whole reply."""
    items: list[dict[str, Any]] = []
    if reply.thinking:
        item: dict[str, Any] = {"id": number("rs_"), "type": "reasoning"}
        item["summary"] = [{"type": "summary_text", "text": reply.thinking}]
        if "reasoning.encrypted_content" in (request.body.get("include") or []):
            item["encrypted_content"] = "c2VhbGVkIGJ5IHRoZSBzY3JpcHQ="
        items.append(item)
    if reply.words:
        part = {"type": "output_text", "text": reply.words, "annotations": []}
        if reply.stop == "refusal":
            part = {"type": "refusal", "refusal": reply.words}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
        items.append({"id": number("msg_"), **message})
    return [*items, *(_call_item(call, request) for call in reply.calls)]


def delta_events(index: int, item: dict[str, Any]) -> Iterator[Event]:
    """Return the events of one item."""
    at = {"output_index": index}
    yield "response.output_item.added", {**at, "item": _begun(item)}
    match item["type"]:
        case "reasoning":
            yield from _reasoning(at, item)
        case "message":
            yield from _message(at, item)
        case "function_call":
            yield from _arguments(at, item, "function_call_arguments", "arguments")
        case "custom_tool_call":
            yield from _arguments(at, item, "custom_tool_call_input", "input")
    yield "response.output_item.done", {**at, "item": item}


def _call_item(call: Call, request: Request) -> dict[str, Any]:
    there = address(call, request)
    item: dict[str, Any] = {"call_id": call.id or number("call_"), "name": there.name, "status": "completed"}
    if there.namespace is not None:
        item["namespace"] = there.namespace
    if call.custom:
        return {"id": number("ctc_"), "type": "custom_tool_call", **item, "input": call.raw}
    return {"id": number("fc_"), "type": "function_call", **item, "arguments": call.raw}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {
        "reasoning": {"summary": []},
        "message": {"content": [], "status": "in_progress"},
        "function_call": {"arguments": "", "status": "in_progress"},
        "custom_tool_call": {"input": "", "status": "in_progress"},
    }
    return {**item, **empty[item["type"]]}


def _reasoning(at: dict[str, Any], item: dict[str, Any]) -> Iterator[Event]:
    here = {**at, "item_id": item["id"], "summary_index": 0}
    text = item["summary"][0]["text"]
    empty = {"type": "summary_text", "text": ""}
    yield "response.reasoning_summary_part.added", {**here, "part": empty}
    for piece in pieces(text):
        yield "response.reasoning_summary_text.delta", {**here, "delta": piece}
    yield "response.reasoning_summary_text.done", {**here, "text": text}
    yield "response.reasoning_summary_part.done", {**here, "part": {**empty, "text": text}}


def _message(at: dict[str, Any], item: dict[str, Any]) -> Iterator[Event]:
    here = {**at, "item_id": item["id"], "content_index": 0}
    part = item["content"][0]
    field, event = ("refusal", "refusal") if part["type"] == "refusal" else ("text", "output_text")
    logprobs: dict[str, Any] = {} if field == "refusal" else {"logprobs": []}
    yield "response.content_part.added", {**here, "part": {**part, field: ""}}
    for piece in pieces(part[field]):
        yield f"response.{event}.delta", {**here, **logprobs, "delta": piece}
    yield f"response.{event}.done", {**here, **logprobs, field: part[field]}
    yield "response.content_part.done", {**here, "part": part}


def _arguments(at: dict[str, Any], item: dict[str, Any], event: str, field: str) -> Iterator[Event]:
    here = {**at, "item_id": item["id"]}
    for half in halves(item[field]):
        yield f"response.{event}.delta", {**here, "delta": half}
    named = {"name": item["name"]} if field == "arguments" else {}
    yield f"response.{event}.done", {**here, **named, field: item[field]}
