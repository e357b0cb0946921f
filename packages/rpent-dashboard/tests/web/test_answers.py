"""How the dashboard answers what it does not do."""

from __future__ import annotations

import json
import logging

import pytest
from rpent_dashboard.web.security.guard import MAX_TARGET_BYTES
from rpent_dashboard.web.security.headers import ALWAYS

SAID = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@pytest.mark.parametrize(
    "method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "GIBBERISH"]
)
def test_other_methods_are_refused(raw, method):
    answer = raw(f"{method} /api/me HTTP/1.1")
    assert answer.status == 405
    if method != "HEAD":
        assert json.loads(answer.body)["error"]["message"] == "This address does not take such a request."
        assert b"Cookie" not in answer.body


def test_a_method_in_a_header_is_not_one(raw, sabotage):
    assert raw("GET /api/test/note HTTP/1.1", "X-HTTP-Method-Override: POST").status == 405
    assert sabotage.notes == []


@pytest.mark.parametrize(
    "path", ["/docs", "/redoc", "/openapi.json", "/api", "/api/", "/api/me/", "//api/me", "/x"]
)
def test_what_is_not_there_is_said_in_json(raw, path):
    answer = raw(f"GET {path} HTTP/1.1")
    assert answer.status == 404
    assert json.loads(answer.body)["error"]["message"] == "There is nothing at this address."


@pytest.mark.parametrize(
    "path", ["/", "/api/me", "/static/js/main.js", "/static/none.js", "/api/none", "/api/test/bug"]
)
@pytest.mark.parametrize("login", [True, False])
def test_every_answer_has_the_headers(raw, path, login):
    answer = raw(f"GET {path} HTTP/1.1", login=login)
    for name, value in ALWAYS.items():
        assert answer.headers[name.lower()] == value
    assert answer.headers["cache-control"] == ("no-cache" if path.endswith("main.js") else "no-store")
    assert not {"server", "x-powered-by", "date"} & set(answer.headers)


def test_what_the_headers_say(raw):
    headers = raw("GET / HTTP/1.1").headers
    assert {name: headers[name] for name in SAID} == SAID
    assert set(headers["content-security-policy"].split("; ")) == {
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "media", "connect")),
        *(f"{what} 'none'" for what in ("base-uri", "form-action", "frame-ancestors", "trusted-types")),
        "require-trusted-types-for 'script'",
    }
    permissions = headers["permissions-policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(permissions)


def test_an_unexpected_failure_is_one_sentence_and_a_line_in_the_log(served, raw, caplog):
    with caplog.at_level(logging.ERROR):
        answer = raw("GET /api/test/bug?token=of-somebody HTTP/1.1")
    assert answer.status == 500
    assert (
        json.loads(answer.body)["error"]["message"]
        == "The dashboard failed at this request; its log says why."
    )
    assert b"secret" not in answer.body
    records = [record for record in caplog.records if "/api/test/bug" in record.getMessage()]
    assert len(records) == 1
    assert records[0].exc_info[0] is ZeroDivisionError
    assert "of-somebody" not in caplog.text


def test_nothing_that_is_asked_is_logged(served, raw, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        served.client.get(served.token_url)
        raw("GET /?token=wrong-one HTTP/1.1")
        raw("GIBBERISH")
    token = served.token_url.partition("token=")[2]
    written = "".join(record.getMessage() for record in caplog.records if not record.name.startswith("http"))
    written += "".join(capfd.readouterr())
    assert token not in written
    assert "wrong-one" not in written


def test_an_address_that_is_too_long_is_refused(raw):
    assert raw(f"GET /api/me?q={'x' * MAX_TARGET_BYTES} HTTP/1.1").status == 414
    assert raw(f"GET /{'x' * MAX_TARGET_BYTES} HTTP/1.1").status == 414


def test_a_head_that_is_too_long_is_refused(raw):
    assert raw("GET /api/me HTTP/1.1", *[f"X-{i}: {'x' * 1000}" for i in range(40)]).status in {0, 400, 431}


@pytest.mark.parametrize(
    "path", ["/api/me%00", "/api/%0d%0aX:y", "/static/js/main.js%00.png", "/api/%7f", "/api/%e2%80%ae"]
)
def test_control_characters_in_an_address_are_refused(raw, path):
    assert raw(f"GET {path} HTTP/1.1").status == 400


@pytest.mark.parametrize(
    "first",
    [
        "GET",
        "GET /api/me",
        "GET  /api/me HTTP/1.1",
        "\x16\x03\x01",
        "GET /\xff HTTP/1.1",
    ],
)
def test_what_is_no_request_is_refused(raw, first):
    assert raw(first).status == 400


def test_an_upgrade_is_not_followed(raw):
    lines = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")
    assert raw("GET /api/me HTTP/1.1", *lines).status == 200
