"""Faults on the way, each in its provider's words."""

from __future__ import annotations

import http.client
import threading

import pytest
from rpent.testing.models import ALWAYS, Fault, ModelServer, Reply

from .conftest import ask


def error_of(wire: str, body: dict) -> tuple[str, str | None]:
    assert wire != "anthropic" or body["type"] == "error"
    return body["error"]["type"], body["error"].get("code")


def test_a_fault_passes_and_the_reply_comes(wire: str) -> None:
    with ModelServer(
        [Reply(text="fine", fault=Fault(status=429, retry_after=1.5, times=2)), Reply()]
    ) as server:
        answers = [ask(server, wire) for _ in range(3)]
    assert [answer.status for answer in answers] == [429, 429, 200]
    assert answers[0].headers["retry-after"] == "1.5"
    assert b"fine" in answers[2].body
    assert len(server.requests) == 3
    assert server.script.position == 1


@pytest.mark.parametrize(
    ("fault", "status", "anthropic", "openai"),
    [
        (Fault(status=429), 429, "rate_limit_error", ("requests", "rate_limit_exceeded")),
        (Fault(status=500), 500, "api_error", ("server_error", None)),
        (Fault(status=401), 401, "authentication_error", ("invalid_request_error", "invalid_api_key")),
        (
            Fault(kind="context"),
            400,
            "invalid_request_error",
            ("invalid_request_error", "context_length_exceeded"),
        ),
        (Fault(status=400, type="odd", code="odder", message="Why."), 400, "odd", ("odd", "odder")),
    ],
)
def test_errors_in_the_providers_words(
    wire: str, fault: Fault, status: int, anthropic: str, openai: tuple
) -> None:
    with ModelServer([Reply(fault=fault)]) as server:
        answer = ask(server, wire)
    assert answer.status == status
    assert error_of(wire, answer.json) == ((anthropic, None) if wire == "anthropic" else openai)


def test_no_credit_and_overload_have_the_providers_status(wire: str) -> None:
    script = [Reply(fault=Fault(kind=kind, times=1)) for kind in ("overloaded", "credit")]
    with ModelServer(lambda request: script[len(server.requests) - 1]) as server:
        found = [ask(server, wire).status for _ in script]
    assert found == ([529, 400] if wire == "anthropic" else [503, 429])


def test_a_fault_may_stay(wire: str) -> None:
    with ModelServer([Reply(fault=Fault(status=500, times=ALWAYS))]) as server:
        assert {ask(server, wire).status for _ in range(5)} == {500}


def test_a_stream_that_fails_after_a_good_start(wire: str) -> None:
    with ModelServer([Reply(fault=Fault(kind="overloaded", in_stream=True))]) as server:
        answer = ask(server, wire, stream=True)
    assert answer.status == 200
    last = answer.events[-1]
    if wire == "responses":
        assert last["type"] == "response.failed"
        assert last["response"]["error"]["message"] == "Our servers are currently overloaded."
    else:
        assert "verloaded" in last["error"]["message"]


def test_responses_says_in_the_stream_that_the_context_is_too_long() -> None:
    with ModelServer([Reply(fault=Fault(kind="context"))]) as server:
        answer = ask(server, "responses", stream=True)
    assert answer.events[-1]["response"]["error"]["code"] == "context_length_exceeded"


def test_a_stream_that_breaks_is_a_broken_connection(wire: str) -> None:
    with ModelServer([Reply(text="one two three", fault=Fault(drop_after=3))]) as server:
        with pytest.raises(http.client.IncompleteRead):
            ask(server, wire, stream=True)
        assert b"three" in ask(server, wire, stream=True).body
    assert server.log[0].note == "dropped after 3 events"


def test_a_stream_that_ends_too_early_in_good_order(wire: str) -> None:
    with ModelServer([Reply(text="one two three", fault=Fault(drop_after=4, clean=True))]) as server:
        answer = ask(server, wire, stream=True)
    assert len(answer.events) == 4


def test_without_a_stream_the_connection_breaks(wire: str) -> None:
    with (
        ModelServer([Reply(text="one", fault=Fault(drop_after=1))]) as server,
        pytest.raises(ConnectionError),
    ):
        ask(server, wire)


def test_a_reply_that_is_not_streamed_takes_as_long(wire: str) -> None:
    """A client without streams gets it when the last word is spoken, and can be interrupted until then."""
    spoken, answered = threading.Event(), threading.Event()
    slow = Reply(text="a b c d e f g h", slow_s=60.0, during=lambda _: spoken.set())
    with ModelServer([slow]) as server:

        def wait_for_it() -> None:
            ask(server, wire)
            answered.set()

        threading.Thread(target=wait_for_it, daemon=True).start()
        assert spoken.wait(10)
        assert not answered.wait(0.3)
    assert answered.wait(10)


def test_a_client_that_goes_away_is_noted(wire: str) -> None:
    from .conftest import PATHS, body_of, key_of

    noted = threading.Event()
    with ModelServer([Reply(text="word " * 5000, slow_s=0.001)]) as server:
        import json

        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
        headers = {name.replace("_", "-"): value for name, value in key_of(wire).items()}
        connection.request("POST", PATHS[wire], json.dumps(body_of(wire, stream=True)), headers)
        response = connection.getresponse()
        response.read(10)
        response.close()
        connection.close()
        for _ in range(1000):
            if server.log[0].note or noted.wait(0.01):
                break
    assert server.log[0].note == "client closed mid-response"
    assert server.problems == []
