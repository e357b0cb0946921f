"""OpenAI's chat completions: `POST /v1/chat/completions`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from rpent.testing.models.openai import WORDS, error_body
from rpent.testing.models.request import (
    CallSeen,
    Item,
    Picture,
    ResultSeen,
    Thought,
    from_data_url,
    plain_name,
)
from rpent.testing.models.wire import Problem, Wire, address, halves, number, pieces, sse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.testing.models.request import Request
    from rpent.testing.models.script import Kind, Reply, Tokens

_CONTEXT = (
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 213462 tokens. "
    "Please reduce the length of the messages."
)


class Chat(Wire):
    """The chat completions wire."""

    name = "chat"
    path = "/v1/chat/completions"
    words: ClassVar[Mapping[Kind, Problem]] = {
        **WORDS,
        "context": Problem(400, "invalid_request_error", _CONTEXT, "context_length_exceeded"),
    }

    def read(self, request: Request) -> None:
        """Fill in what the request's body says."""
        for tool in request.body.get("tools", []):
            function = tool["function"]
            request.add_tool(function["name"], function.get("parameters", {}))
        for message in request.body.get("messages", []):
            _add_message(request, message)

    def events(self, reply: Reply, request: Request) -> Iterator[bytes]:
        """Return the events of a streamed reply."""
        base = _base(request, "chat.completion.chunk")
        for delta in _deltas(reply, request):
            yield sse({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        last = {"index": 0, "delta": {}, "finish_reason": _finish_reason(reply)}
        yield sse({**base, "choices": [last]})
        if (request.body.get("stream_options") or {}).get("include_usage"):
            yield sse({**base, "choices": [], "usage": _usage(reply.usage)})
        yield sse("[DONE]")

    def whole(self, reply: Reply, request: Request) -> dict[str, Any]:
        """Return a reply that is not streamed."""
        refused = reply.stop == "refusal"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused else reply.words or None,
            "refusal": reply.words if refused else None,
        }
        if reply.thinking:
            message["reasoning_content"] = reply.thinking
        if reply.calls:
            message["tool_calls"] = _tool_calls(reply, request)
        choice = {"index": 0, "message": message, "finish_reason": _finish_reason(reply), "logprobs": None}
        return {**_base(request, "chat.completion"), "choices": [choice], "usage": _usage(reply.usage)}

    def error(self, problem: Problem) -> dict[str, Any]:
        """Return the body of an error."""
        return error_body(problem)

    def error_events(self, problem: Problem, request: Request) -> Iterator[bytes]:  # noqa: ARG002
        """Return the events of a stream that fails."""
        yield sse(error_body(problem))


def _add_message(request: Request, message: dict[str, Any]) -> None:
    content = message.get("content")
    parts = [_part(part) for part in _parts(content)]
    match message["role"]:
        case "system" | "developer":
            for part in parts:
                request.add_system(str(part))
        case "user":
            request.add("user", *parts)
        case "tool":
            request.add("user", ResultSeen(message["tool_call_id"], tuple(parts)))
        case "assistant":
            items: list[Item] = (
                [Thought(message["reasoning_content"])] if message.get("reasoning_content") else []
            )
            calls = message.get("tool_calls") or []
            functions = [(call["id"], call["function"]) for call in calls]
            request.add(
                "assistant",
                *items,
                *parts,
                *(CallSeen(id_, plain_name(given["name"]), given["arguments"]) for id_, given in functions),
            )
        case other:
            raise ValueError(f"role `{other}` is not known")


def _parts(content: str | list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _part(part: dict[str, Any]) -> str | Picture:
    match part["type"]:
        case "text":
            return str(part["text"])
        case "refusal":
            return str(part["refusal"])
        case "image_url":
            return from_data_url(part["image_url"]["url"])
        case other:
            raise ValueError(f"content of type `{other}` is not known")


def _deltas(reply: Reply, request: Request) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for piece in pieces(reply.thinking):
        yield {"reasoning_content": piece}
    for piece in pieces(reply.words):
        yield {"refusal" if reply.stop == "refusal" else "content": piece}
    for index, call in enumerate(_tool_calls(reply, request)):
        arguments = call["function"]["arguments"]
        begun = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield {"tool_calls": [begun]}
        for half in halves(arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": half}}]}


def _tool_calls(reply: Reply, request: Request) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id or number("call_"),
            "type": "function",
            "function": {"name": address(call, request).name, "arguments": call.raw},
        }
        for call in reply.calls
    ]


def _base(request: Request, kind: str) -> dict[str, Any]:
    return {"id": number("chatcmpl-"), "object": kind, "created": int(time.time()), "model": request.model}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }


def _finish_reason(reply: Reply) -> str:
    if reply.stop in {"length", "filtered"}:
        return "length" if reply.stop == "length" else "content_filter"
    return "tool_calls" if reply.calls else "stop"
