"""A client of a model server with nothing but the standard library."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

import pytest
from rpent.testing.models import ModelServer

TOOL = {"type": "object", "properties": {"camera": {"type": "string"}}, "required": ["camera"]}

PATHS = {"anthropic": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions"}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """Return the data of a stream's events; chat's last one is text."""
        lines = [line[6:] for line in self.body.decode().splitlines() if line.startswith("data: ")]
        return [line if line == "[DONE]" else json.loads(line) for line in lines]


def send(server: ModelServer, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def key_of(wire: str, key: str = "test-key") -> dict[str, str]:
    if wire == "anthropic":
        return {"x_api_key": key, "anthropic_version": "2023-06-01"}
    return {"authorization": f"Bearer {key}"}


def body_of(wire: str, **changes: Any) -> dict[str, Any]:
    """Return a first request with one tool."""
    user = [{"role": "user", "content": "Find the cube."}]
    if wire == "anthropic":
        tools: list[Any] = [{"name": "look", "input_schema": TOOL}]
        return {"model": "test-model", "max_tokens": 9, "messages": user, "tools": tools, **changes}
    if wire == "chat":
        tools = [{"type": "function", "function": {"name": "look", "parameters": TOOL}}]
        return {"model": "test-model", "messages": user, "tools": tools, **changes}
    tools = [{"type": "function", "name": "look", "parameters": TOOL}]
    return {"model": "test-model", "input": user, "tools": tools, **changes}


def ask(server: ModelServer, wire: str, **changes: Any) -> Answer:
    body = json.dumps(body_of(wire, **changes)).encode()
    return send(server, "POST", PATHS[wire], body, **key_of(wire))


@pytest.fixture(params=list(PATHS))
def wire(request: pytest.FixtureRequest) -> str:
    """Each wire."""
    return request.param
