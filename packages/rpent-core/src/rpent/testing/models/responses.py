"""OpenAI's Responses: `POST /v1/responses`."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, ClassVar

from rpent.testing.models.openai import WORDS, error_body
from rpent.testing.models.request import (
    CallSeen,
    Item,
    Picture,
    ResultSeen,
    Role,
    Thought,
    from_data_url,
    plain_name,
)
from rpent.testing.models.responses_items import delta_events, output_items
from rpent.testing.models.wire import Problem, Wire, number, sse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.testing.models.request import Request
    from rpent.testing.models.script import Kind, Reply, Tokens

_CONTEXT = "Your input exceeds the context window of this model. Please adjust your input and try again."


class Responses(Wire):
    """The Responses wire."""

    name = "responses"
    path = "/v1/responses"
    words: ClassVar[Mapping[Kind, Problem]] = {
        **WORDS,
        "context": Problem(400, "invalid_request_error", _CONTEXT, "context_length_exceeded"),
    }
    in_stream = frozenset({"context"})

    def read(self, request: Request) -> None:
        """Fill in what the request's body says."""
        body = request.body
        request.add_system(body.get("instructions") or "")
        for tool in body.get("tools") or []:
            _add_tool(request, tool)
        given = body.get("input", [])
        for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
            _add_item(request, item)

    def events(self, reply: Reply, request: Request) -> Iterator[bytes]:
        """Return the events of a streamed reply."""
        response = _response(request)
        whole = _whole(response, reply, request)
        numbers = itertools.count()
        begun = {**response, "status": "in_progress"}
        yield _event("response.created", numbers, response=begun)
        yield _event("response.in_progress", numbers, response=begun)
        for index, item in enumerate(whole["output"]):
            for kind, fields in delta_events(index, item):
                yield _event(kind, numbers, **fields)
        ending = "response.completed" if whole["status"] == "completed" else "response.incomplete"
        yield _event(ending, numbers, response=whole)

    def whole(self, reply: Reply, request: Request) -> dict[str, Any]:
        """Return a reply that is not streamed."""
        return _whole(_response(request), reply, request)

    def error(self, problem: Problem) -> dict[str, Any]:
        """Return the body of an error."""
        return error_body(problem)

    def error_events(self, problem: Problem, request: Request) -> Iterator[bytes]:
        """Return the events of a stream that fails."""
        numbers = itertools.count()
        response = _response(request)
        yield _event("response.created", numbers, response={**response, "status": "in_progress"})
        error = {"code": problem.code or problem.type, "message": problem.message}
        yield _event("response.failed", numbers, response={**response, "status": "failed", "error": error})


def _add_tool(request: Request, tool: dict[str, Any], namespace: str | None = None) -> None:
    if tool["type"] == "namespace":
        for inner in tool["tools"]:
            _add_tool(request, inner, tool["name"])
    else:
        request.add_tool(tool.get("name", tool["type"]), tool.get("parameters") or {}, namespace)


def _add_item(request: Request, item: dict[str, Any]) -> None:
    match item.get("type", "message"):
        case "message":
            _add_message(request, item["role"], [_part(part) for part in _parts(item["content"])])
        case "function_call":
            request.add("assistant", CallSeen(item["call_id"], plain_name(item["name"]), item["arguments"]))
        case "custom_tool_call":
            request.add("assistant", CallSeen(item["call_id"], plain_name(item["name"]), item["input"]))
        case "function_call_output" | "custom_tool_call_output":
            parts = tuple(_part(part) for part in _parts(item["output"]))
            request.add("user", ResultSeen(item["call_id"], parts))
        case "reasoning":
            request.add("assistant", Thought("\n".join(part["text"] for part in item.get("summary", []))))
        case "additional_tools":
            for tool in item["tools"]:
                _add_tool(request, tool)


def _add_message(request: Request, role: str, parts: list[str | Picture]) -> None:
    if role in {"system", "developer"}:
        for part in parts:
            request.add_system(str(part))
        return
    speaker: Role = "assistant" if role == "assistant" else "user"
    items: list[Item] = [*parts]
    request.add(speaker, *items)


def _parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "input_text", "text": content}] if isinstance(content, str) else content


def _part(part: dict[str, Any]) -> str | Picture:
    match part["type"]:
        case "input_text" | "output_text" | "text":
            return str(part["text"])
        case "refusal":
            return str(part["refusal"])
        case "input_image":
            return from_data_url(part["image_url"])
        case other:
            raise ValueError(f"content of type `{other}` is not known")


def _response(request: Request) -> dict[str, Any]:
    return {
        "id": number("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": request.model,
        "status": "completed",
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None,
    }


def _whole(response: dict[str, Any], reply: Reply, request: Request) -> dict[str, Any]:
    reasons = {"length": "max_output_tokens", "filtered": "content_filter"}
    reason = reasons.get(reply.stop or "")
    return {
        **response,
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output_items(reply, request),
        "usage": _usage(reply.usage),
    }


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.input + tokens.output,
    }


def _event(kind: str, numbers: Iterator[int], **fields: Any) -> bytes:
    return sse({"type": kind, "sequence_number": next(numbers), **fields}, kind)
