"""Servers that send what no client of theirs expects: the run goes on, or ends in one sentence."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rpent.config import build_config
from rpent.errors import UsageError
from rpent.planners.faults import ModelError
from rpent.runs.events import AssistantText
from rpent.session.limits import Limits
from rpent.testing.models import Call, Fault, Reply
from rpent_planner_api.config import ApiConfig
from rpent_planner_api.planner import ApiPlanner

from .stage import FINISH, Stage

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Yield the address of a server that answers each POST with what `answer` sends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def ended(stage: Stage, address: str) -> ModelError:
    """Return what the planner makes of a server."""
    options = ApiConfig(model="openai-chat:test-model", base_url=address, max_retries=1)
    with pytest.raises(ModelError) as caught:
        ApiPlanner(options).run(stage.session())
    return caught.value


def test_a_redirect_does_not_carry_the_key_to_another_host(stage: Stage) -> None:
    asked: list[str] = []
    with answering(lambda other: asked.append(other.path)) as elsewhere:

        def redirect(request: BaseHTTPRequestHandler) -> None:
            request.send_response(307)
            request.send_header("location", f"{elsewhere}/chat/completions")
            request.send_header("content-length", "0")
            request.end_headers()

        with answering(redirect) as address:
            assert ended(stage, address).fault == "address"
    assert asked == []


@pytest.mark.parametrize(
    "chunk",
    [{"choices": "none"}, {"choices": [{"delta": {"tool_calls": {"index": "a"}}}]}, {"choices": [7]}, [], 7],
)
def test_a_stream_that_is_not_understood_is_a_fault_of_the_server(stage: Stage, chunk: object) -> None:
    def stream(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("content-type", "text/event-stream")
        request.end_headers()
        request.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

    with answering(stream) as address:
        assert ended(stage, address).retryable


def test_half_a_surrogate_pair_in_a_reply(stage: Stage, provider: str) -> None:
    calls = [Call("look", '{"size": "\\ud83d"}'), Call("l\ud83dk", {})]
    played = stage.play([Reply(text="half \ud83d", calls=calls), FINISH], provider)
    assert played.errors == []
    assert [event.text for event in played.of(AssistantText)] == ["half \ufffd"]
    assert len(played.server.requests) == 2


def test_a_provider_that_asks_to_wait_for_hours_is_not_waited_for(stage: Stage, provider: str) -> None:
    played = stage.play([Reply(fault=Fault(status=429, retry_after=7200)), FINISH], provider)
    (error,) = played.errors
    assert isinstance(error, ModelError)
    assert error.hint == "The provider asks to wait 120 minutes."
    assert error.resumable


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "trailing\n", "schlüssel"])
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    options = ApiConfig(model="openai-chat:test-model", base_url="http://127.0.0.1:9/v1", check=False)
    with pytest.raises(ModelError, match="The key in `OPENAI_API_KEY` holds") as caught:
        ApiPlanner(options).check(Limits())
    assert key.strip() not in caught.value.message


def test_a_key_given_as_the_name_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        build_config(ApiConfig, {"key_variable": "sk-0123456789"}, what="planner `api`")
    assert "sk-0123456789" not in caught.value.message


def test_a_reply_that_does_not_end_is_given_up(
    stage: Stage, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpent_planner_api.requests.LONGEST_REPLY", 10_000)
    words = Reply(text="word " * 10_000)
    played = stage.play([words, FINISH], provider)
    assert played.of(AssistantText) == []
    assert "does not end" in played.notices[0]
