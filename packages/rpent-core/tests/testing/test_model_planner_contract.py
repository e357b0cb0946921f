"""The contract of planners of language models, passed by a short one over nothing but the standard library."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from rpent.api import (
    ModelConfig,
    ModelError,
    Usage,
    fault_of,
    history_parts,
    model_error,
    opening_parts,
    probe_model,
    reply_parts,
    require_price,
)
from rpent.testing import ModelPlannerContract

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent.api import Limits, Part, Session

KEY = "test-key"


@dataclass
class Answer:
    """One streamed response of a chat-completions server."""

    text: str = ""
    refusal: str = ""
    finish: str = ""
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)

    def add(self, chunk: dict[str, Any]) -> None:
        self.usage = chunk.get("usage") or self.usage
        for choice in chunk.get("choices", ()):
            delta = choice.get("delta", {})
            self.text += delta.get("content") or ""
            self.refusal += delta.get("refusal") or ""
            self.finish = choice.get("finish_reason") or self.finish
            for part in delta.get("tool_calls", ()):
                call = self.calls.setdefault(part["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] = part.get("id") or call["id"]
                function = part.get("function", {})
                call["name"] = function.get("name") or call["name"]
                call["arguments"] += function.get("arguments") or ""

    def message(self) -> dict[str, Any]:
        calls = [
            {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
            for c in self.calls.values()
        ]
        return {"role": "assistant", "content": self.text, **({"tool_calls": calls} if calls else {})}


class Client:
    """Streams chat completions; `abort` breaks one off from any thread."""

    def __init__(self, base_url: str) -> None:
        self.url = urlsplit(base_url)
        self._socket: socket.socket | None = None

    def abort(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def ask(self, body: dict[str, Any], answer: Answer) -> None:
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        try:
            connection.connect()
            self._socket = connection.sock
            connection.request("POST", f"{self.url.path}/chat/completions", json.dumps(body), headers)
            response = connection.getresponse()
            if response.status != 200:
                raise refused(response.status, response.read().decode())
            for line in response:
                if line.startswith(b"data: {"):
                    answer.add(json.loads(line[6:]))
                elif line.startswith(b"data: [DONE]"):
                    return
            raise refused(0, "the stream broke off")
        except (OSError, http.client.HTTPException) as error:
            raise refused(0, str(error)) from error
        finally:
            self._socket = None
            connection.close()


def refused(status: int, words: str) -> ModelError:
    return model_error(fault_of(status, words), planner="plain", model="test-model", detail=words)


class PlainPlanner:
    """What an adapter has to do, and no more."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.client = Client(config.base_url or "")

    def check(self, limits: Limits) -> None:
        assert self.config.base_url
        assert self.config.model
        facts = {"base_url": self.config.base_url, "model": self.config.model, "planner": "plain"}
        probe_model(wire="openai", key=KEY, key_variable="PLAIN_KEY", **facts)
        require_price(limits, planner="plain", model=self.config.model, config=self.config)

    def run(self, session: Session) -> None:
        session.cancel.on_cancel(self.client.abort)
        session.on_interrupt(self.client.abort)
        parts = history_parts if session.history else opening_parts
        messages = [
            {"role": "system", "content": session.prompts.system},
            {"role": "user", "content": content(parts(session))},
        ]
        while True:
            session.begin_turn()
            answer = self._answer(session, messages)
            if answer is None:
                messages += said(session.user_messages())
                continue
            messages.append(answer.message())
            if not self._carried_out(session, answer, messages):
                return

    def _answer(self, session: Session, messages: list[Any]) -> Answer | None:
        """Return the model's response; None when the user interrupted it."""
        tools = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": t.schema},
            }
            for t in session.tools
        ]
        body = {"model": self.config.model, "messages": messages, "tools": tools, "stream": True}
        for attempt in range(self.config.max_retries + 1):
            answer, interrupts = Answer(), session.interrupts
            try:
                self.client.ask(body | {"stream_options": {"include_usage": True}}, answer)
            except ModelError as error:
                session.check()
                if session.interrupts != interrupts:
                    session.say(answer.text)
                    return None
                if not error.retryable or attempt == self.config.max_retries:
                    raise
                session.notice(f"{error.message} Trying again ({attempt + 1}).")
                time.sleep(0.1)
            else:
                return answer
        raise AssertionError("unreachable")

    def _carried_out(self, session: Session, answer: Answer, messages: list[Any]) -> bool:
        session.say(answer.text)
        usage = answer.usage
        session.report_usage(
            Usage(
                input_tokens=usage.get("prompt_tokens", 0),
                output_tokens=usage.get("completion_tokens", 0),
                model="test-model",
            )
        )
        if answer.refusal or answer.finish == "content_filter":
            session.refused(answer.refusal or answer.text)
            return False
        shown: list[Any] = []
        for call in answer.calls.values():
            reply = session.call(call["name"], call["arguments"], call_id=call["id"])
            if reply.ended:
                return False
            text, *pictures = reply_parts(reply)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
            shown += content(pictures)
        if shown:
            messages.append({"role": "user", "content": shown})
        if not answer.calls:
            reminder = session.nudge()
            messages += said([reminder] if reminder else [])
            return reminder is not None
        messages += said(session.user_messages())
        return True


def said(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    for text in texts:
        yield {"role": "user", "content": text}


def content(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Return texts and pictures in OpenAI's form."""
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {
            "type": "image_url",
            "image_url": {"url": f"data:{part.media_type};base64,{encoded(part.data)}"},
        }
        for part in parts
    ]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


class TestPlainPlanner(ModelPlannerContract):
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch):
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def planner_over(self, server, tmp_path):
        return PlainPlanner(ModelConfig(model="test-model", base_url=f"{server.url}/v1"))
