"""Routes beside the models': the list of models, keys, and a proxy that lets nothing out."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from rpent.testing.models import Fault, GuardProxy, ModelServer, Reply

from .conftest import PATHS, ask, body_of, key_of, send


def test_models_are_listed(wire: str) -> None:
    with ModelServer([], models=("one", "two")) as server:
        listed = send(server, "GET", "/v1/models", **key_of(wire))
        shown = send(server, "GET", "/v1/models/two", **key_of(wire))
        missing = send(server, "GET", "/v1/models/three", **key_of(wire))
    assert [entry["id"] for entry in listed.json["data"]] == ["one", "two"]
    assert ("object" in listed.json) == (wire != "anthropic")
    assert shown.json["id"] == "two"
    assert missing.status == 404
    assert "three" in missing.json["error"]["message"]


def test_a_wrong_key_is_refused(wire: str) -> None:
    body = json.dumps(body_of(wire)).encode()
    with ModelServer([]) as server:
        asked = send(server, "POST", PATHS[wire], body, **key_of(wire, "wrong"))
        listed = send(server, "GET", "/v1/models", **key_of(wire, "wrong"))
    assert asked.status == listed.status == 401
    kind = "authentication_error" if wire == "anthropic" else "invalid_request_error"
    assert asked.json["error"]["type"] == listed.json["error"]["type"] == kind
    assert "wrong" not in str(server.log[0].note)
    assert server.requests == []


def test_an_unknown_model_is_refused(wire: str) -> None:
    with ModelServer([]) as server:
        answer = ask(server, wire, model="other")
    assert answer.status == 404
    assert "other" in answer.json["error"]["message"]


def test_any_key_and_any_model(wire: str) -> None:
    body = json.dumps(body_of(wire, model="whatever")).encode()
    with ModelServer([], key=None, models=()) as server:
        assert send(server, "POST", PATHS[wire], body).status == 200


def test_a_wrong_base_url_is_not_found(wire: str) -> None:
    body = json.dumps(body_of(wire)).encode()
    with ModelServer([]) as server:
        assert send(server, "POST", f"/v2{PATHS[wire]}", body, **key_of(wire)).status == 404
        assert send(server, "GET", "/models", **key_of(wire)).status == 404
        assert send(server, "HEAD", "/").status == 200


def test_tokens_are_counted() -> None:
    body = json.dumps(body_of("anthropic")).encode()
    with ModelServer([Reply(fault=Fault(status=500))]) as server:
        answer = send(server, "POST", "/v1/messages/count_tokens", body, **key_of("anthropic"))
    assert answer.json == {"input_tokens": 100}
    assert server.requests == []


def test_nothing_gets_past_the_guard() -> None:
    with GuardProxy() as guard:
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({"http": guard.url, "https": guard.url})
        )
        with pytest.raises(urllib.error.HTTPError) as caught:
            opener.open("http://example.org/file", timeout=10)
        assert caught.value.code == 502
        with pytest.raises(OSError, match="502"):
            opener.open("https://example.org/", timeout=10)
    assert guard.log == ["GET http://example.org/file", "CONNECT example.org:443"]
    assert guard.environment["https_proxy"] == guard.url
