"""Anthropic's Messages: `POST /v1/messages`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from rpent.testing.models.request import CallSeen, Item, Picture, ResultSeen, Thought, decoded, plain_name
from rpent.testing.models.wire import Problem, Wire, address, halves, number, pieces, sse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.testing.models.request import Request
    from rpent.testing.models.script import Kind, Reply, Tokens

SIGNATURE = "c2lnbmVkIGJ5IHRoZSBzY3JpcHQ="


class Anthropic(Wire):
    """The Messages wire."""

    name = "anthropic"
    path = "/v1/messages"
    words: ClassVar[Mapping[Kind, Problem]] = {
        "key": Problem(401, "authentication_error", "invalid x-api-key"),
        "model": Problem(404, "not_found_error", "model: {model}"),
        "rate_limit": Problem(
            429, "rate_limit_error", "This request would exceed your account's rate limit."
        ),
        "credit": Problem(
            400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
        ),
        "overloaded": Problem(529, "overloaded_error", "Overloaded"),
        "server": Problem(500, "api_error", "Internal server error"),
        "context": Problem(
            400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"
        ),
        "request": Problem(400, "invalid_request_error", "The request is not valid."),
    }

    def read(self, request: Request) -> None:
        """Fill in what the request's body says."""
        body = request.body
        for block in _blocks(body.get("system", "")):
            request.add_system(block.get("text", ""))
        for tool in body.get("tools", []):
            request.add_tool(tool["name"], tool.get("input_schema", {}))
        for message in body.get("messages", []):
            if message["role"] == "system":
                for block in _blocks(message["content"]):
                    request.add_system(block.get("text", ""))
            else:
                request.add(message["role"], *(_item(block) for block in _blocks(message["content"])))

    def events(self, reply: Reply, request: Request) -> Iterator[bytes]:
        """Return the events of a streamed reply."""
        start = {**_message(request), "content": [], "stop_reason": None, "stop_sequence": None}
        yield _event("message_start", message={**start, "usage": {**_usage(reply.usage), "output_tokens": 1}})
        yield _event("ping")
        for index, block in enumerate(_content(reply, request)):
            yield from _block_events(index, block)
        stopped = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
        yield _event("message_delta", delta=stopped, usage=_usage(reply.usage))
        yield _event("message_stop")

    def whole(self, reply: Reply, request: Request) -> dict[str, Any]:
        """Return a reply that is not streamed."""
        content = _content(reply, request)
        for block in content:
            if block["type"] == "tool_use":
                block["input"] = _json_or_text(block["input"])
        return {
            **_message(request),
            "content": content,
            "stop_reason": _stop_reason(reply),
            "stop_sequence": None,
            "usage": _usage(reply.usage),
        }

    def error(self, problem: Problem) -> dict[str, Any]:
        """Return the body of an error."""
        error = {"type": problem.type, "message": problem.message}
        return {"type": "error", "error": error, "request_id": number("req_")}

    def error_events(self, problem: Problem, request: Request) -> Iterator[bytes]:  # noqa: ARG002
        """Return the events of a stream that fails."""
        yield _event("ping")
        yield sse(self.error(problem), "error")


def _blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _item(block: dict[str, Any]) -> Item:
    match block["type"]:
        case "text" | "image":
            return _part(block)
        case "tool_use":
            return CallSeen(block["id"], plain_name(block["name"]), json.dumps(block["input"]))
        case "tool_result":
            parts = tuple(_part(part) for part in _blocks(block.get("content", "")))
            return ResultSeen(block["tool_use_id"], parts, bool(block.get("is_error")))
        case "thinking" | "redacted_thinking":
            return Thought(block.get("thinking", ""))
        case other:
            raise ValueError(f"content of type `{other}` is not known")


def _part(block: dict[str, Any]) -> str | Picture:
    if block["type"] == "text":
        return str(block["text"])
    source = block["source"]
    if source["type"] != "base64":
        raise ValueError("a picture is not in the request itself")
    return decoded(source["data"], source["media_type"])


def _content(reply: Reply, request: Request) -> list[dict[str, Any]]:
    """Return the blocks of a reply; the input of a call is still JSON text."""
    content: list[dict[str, Any]] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": SIGNATURE})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for call in reply.calls:
        name = address(call, request).name
        content.append(
            {"type": "tool_use", "id": call.id or number("toolu_"), "name": name, "input": call.raw}
        )
    return content


def _block_events(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    match block["type"]:
        case "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "text":
            empty = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        case _:
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves(block["input"])]
    yield _event("content_block_start", index=index, content_block=empty)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)


def _message(request: Request) -> dict[str, Any]:
    return {"id": number("msg_"), "type": "message", "role": "assistant", "model": request.model}


def _usage(tokens: Tokens) -> dict[str, int]:
    return {
        "input_tokens": tokens.input - tokens.cached - tokens.cache_write,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cached,
        "output_tokens": tokens.output,
    }


def _stop_reason(reply: Reply) -> str:
    if reply.stop is not None:
        return "max_tokens" if reply.stop == "length" else "refusal"
    return "tool_use" if reply.calls else "end_turn"


def _json_or_text(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw
