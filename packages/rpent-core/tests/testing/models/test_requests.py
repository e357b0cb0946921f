"""The same conversation over each wire reads the same."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
from typing import Any

import pytest
from rpent.testing.models import Call, ModelServer, Picture, Reply

from .conftest import PATHS, TOOL, ask, body_of, key_of, send

PNG, JPEG = b"\x89PNG first", b"\xff\xd8\xff second"
URLS = [
    f"data:{kind};base64,{base64.b64encode(d).decode()}"
    for kind, d in (("image/png", PNG), ("image/jpeg", JPEG))
]


def source(url: str) -> dict[str, Any]:
    kind, data = url.removeprefix("data:").split(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def conversation(wire: str) -> dict[str, Any]:
    """A picture in the opening, thinking, two calls, two answers one of which has a picture, a word of the user."""
    if wire == "anthropic":
        text = {"type": "text", "text": "Find it."}
        calls = [
            {"type": "tool_use", "id": f"c{i}", "name": "mcp__robot__look", "input": {"n": i}} for i in (1, 2)
        ]
        thinking = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
        answers = [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "text", "text": "top:"}, source(URLS[1])],
            },
            {"type": "tool_result", "tool_use_id": "c2", "content": "too late", "is_error": True},
        ]
        return {
            "system": [{"type": "text", "text": "You plan."}],
            "messages": [
                {"role": "user", "content": [text, source(URLS[0])]},
                {"role": "system", "content": "Environment."},
                {"role": "assistant", "content": [thinking, {"type": "text", "text": "I look."}, *calls]},
                {"role": "user", "content": [*answers, {"type": "text", "text": "Hurry."}]},
            ],
            "tools": [{"name": "mcp__robot__look", "input_schema": TOOL}],
        }
    if wire == "chat":
        calls = [
            {
                "id": f"c{i}",
                "type": "function",
                "function": {"name": "look", "arguments": json.dumps({"n": i})},
            }
            for i in (1, 2)
        ]
        picture = [{"type": "image_url", "image_url": {"url": url}} for url in URLS]
        return {
            "messages": [
                {"role": "system", "content": "You plan."},
                {"role": "developer", "content": "Environment."},
                {"role": "user", "content": [{"type": "text", "text": "Find it."}, picture[0]]},
                {"role": "assistant", "reasoning_content": "Hm.", "content": "I look.", "tool_calls": calls},
                {
                    "role": "tool",
                    "tool_call_id": "c1",
                    "content": [{"type": "text", "text": "top:"}, picture[1]],
                },
                {"role": "tool", "tool_call_id": "c2", "content": "too late"},
                {"role": "user", "content": "Hurry."},
            ]
        }
    pictures = [{"type": "input_image", "image_url": url} for url in URLS]
    return {
        "instructions": "You plan.",
        "input": [
            {"role": "developer", "content": "Environment."},
            {"role": "user", "content": [{"type": "input_text", "text": "Find it."}, pictures[0]]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"n": 1}'},
            {"type": "function_call", "call_id": "c2", "name": "look", "arguments": '{"n": 2}'},
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": "top:"}, pictures[1]],
            },
            {"type": "function_call_output", "call_id": "c2", "output": "too late"},
            {"role": "user", "content": "Hurry."},
        ],
        "tools": [
            {
                "type": "namespace",
                "name": "mcp__robot",
                "tools": [{"type": "function", "name": "look", "parameters": TOOL}],
            }
        ],
    }


def test_a_conversation(wire: str) -> None:
    with ModelServer([Reply(text="Good.")]) as server:
        assert ask(server, wire, **conversation(wire)).status == 200
    request = server.last
    assert server.problems == []
    assert request.system == "You plan.\n\nEnvironment."
    assert request.tools == {"look": TOOL}
    assert [turn.role for turn in request.turns] == ["user", "assistant", "user"]
    opening, spoken, answers = request.turns
    assert opening.texts == ["Find it."]
    assert [(call.id, call.name, json.loads(call.arguments)) for call in spoken.calls] == [
        ("c1", "look", {"n": 1}),
        ("c2", "look", {"n": 2}),
    ]
    assert spoken.text == "I look."
    assert [(result.call_id, result.text) for result in answers.results] == [
        ("c1", "top:"),
        ("c2", "too late"),
    ]
    assert answers.texts == ["Hurry."]
    assert answers.parts == ["top:", Picture(JPEG, "image/jpeg"), "too late", "Hurry."]
    assert request.pictures == server.pictures_seen == [PNG, JPEG]
    assert request.body["model"] == "test-model"


def test_calls_go_where_the_client_listed_the_tool() -> None:

    with ModelServer([Reply(calls=[Call("look", {})])] * 2) as server:
        anthropic = ask(server, "anthropic", **conversation("anthropic")).json
        responses = ask(server, "responses", **conversation("responses")).json
    assert anthropic["content"][0]["name"] == "mcp__robot__look"
    assert (responses["output"][0]["name"], responses["output"][0]["namespace"]) == ("look", "mcp__robot")


@pytest.mark.parametrize("framing", ["gzip", "chunked"])
def test_bodies_however_they_are_sent(wire: str, framing: str) -> None:
    body = json.dumps(body_of(wire)).encode()
    with ModelServer([Reply(text="Good.")]) as server:
        if framing == "gzip":
            answer = send(
                server, "POST", PATHS[wire], gzip.compress(body), content_encoding="gzip", **key_of(wire)
            )
            assert answer.status == 200
        else:
            connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
            headers = {name.replace("_", "-"): value for name, value in key_of(wire).items()}
            halves = iter([body[:20], body[20:]])
            connection.request("POST", PATHS[wire], halves, headers, encode_chunked=True)
            assert connection.getresponse().status == 200
            connection.close()
    assert server.last.user_texts == ["Find the cube."]


def test_what_a_provider_would_refuse_is_refused(wire: str) -> None:
    """An answer without its call, a picture that is none."""

    def spoiled(old: str, new: str) -> dict[str, Any]:
        return json.loads(json.dumps(conversation(wire)).replace(old, new))

    key = {"anthropic": "tool_use_id", "chat": "tool_call_id", "responses": "call_id"}[wire]
    follows = "output" if wire == "responses" else "content"
    answer = f'"{key}": "c2", "{follows}"'
    picture = URLS[0].partition(",")[2]
    with ModelServer([Reply(text="never")]) as server:
        answers = [
            ask(server, wire, **spoiled(answer, answer.replace("c2", "c9"))),
            ask(server, wire, **spoiled(picture, base64.b64encode(b"text").decode())),
        ]
    assert [answer.status for answer in answers] == [400, 400]
    assert "`c9`, which is not open" in server.problems[0]
    assert "is not one" in server.problems[1]
    assert server.requests == []


def test_tools_that_codex_lists_in_the_conversation_and_calls_in_code() -> None:
    tools = {"type": "additional_tools", "tools": [{"type": "custom", "name": "exec"}]}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Find it."}]}
    script = [Reply(calls=[Call("exec", "await tools.look()", namespace="functions", custom=True)])]
    with ModelServer(script) as server:
        answer = ask(server, "responses", tools=[], input=[tools, said])
        (call,) = answer.json["output"]
        output = {"type": "custom_tool_call_output", "call_id": call["call_id"], "output": "seen"}
        ask(server, "responses", tools=[], input=[tools, said, call, output])
    assert (call["type"], call["namespace"], call["input"]) == (
        "custom_tool_call",
        "functions",
        "await tools.look()",
    )
    assert set(server.last.tools) == {"exec"}
    assert [(result.call_id, result.text) for result in server.last.results] == [(call["call_id"], "seen")]
    assert server.problems == []
