"""What a request may bring along: a little JSON, in good time."""

from __future__ import annotations

import json

import pytest
from rpent_dashboard.web.security import body as limits

NOTE = "POST /api/test/note HTTP/1.1"
TYPE = "Content-Type: application/json"
BODY = b'{"text":"hi"}'


def error(answer):
    """The error of a refusal."""
    return json.loads(answer.body)["error"]


def chunked(*parts):
    """A body in chunks, without its last one."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


class TestType:
    @pytest.mark.parametrize(
        "kind",
        [
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain",
            "text/plain; application/json",
            "application/jsonx",
            "",
        ],
    )
    def test_what_a_form_of_another_page_can_send_is_refused(self, sabotage, raw, kind):
        answer = raw(NOTE, f"Content-Type: {kind}", f"Content-Length: {len(BODY)}", body=BODY)
        assert answer.status == 415
        assert sabotage.notes == []

    def test_none_is_refused(self, raw):
        assert raw(NOTE, f"Content-Length: {len(BODY)}", body=BODY).status == 415
        assert raw(NOTE, "Content-Length: 0").status == 415

    def test_a_charset_is_accepted(self, raw):
        answer = raw(NOTE, f"{TYPE}; charset=utf-8", f"Content-Length: {len(BODY)}", body=BODY)
        assert answer.status == 200

    def test_compression_is_refused(self, raw):
        answer = raw(NOTE, TYPE, "Content-Encoding: gzip", f"Content-Length: {len(BODY)}", body=BODY)
        assert answer.status == 415

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"nul",
            b"\xff\xfe",
            b"[" * 60_000,
            b'{"times":' + b"9" * 60_000 + b"}",
            b'{"text":NaN}',
            b'{"text":"\\ud83d"}',
        ],
    )
    def test_what_is_no_json_is_refused_in_a_sentence(self, sabotage, raw, body):
        answer = raw(NOTE, TYPE, f"Content-Length: {len(body)}", body=body)
        assert answer.status in {400, 422}
        assert error(answer)["message"].endswith(".")
        assert len(answer.body) < 500
        assert sabotage.notes == []

    def test_a_whole_surrogate_pair_is_taken(self, sabotage, raw):
        body = b'{"text":"\\ud83d\\ude00"}'
        assert raw(NOTE, TYPE, f"Content-Length: {len(body)}", body=body).status == 200
        assert sabotage.notes[0].text == "\U0001f600"

    def test_a_wrong_value_names_its_field(self, served):
        answer = served.client.post("/api/test/note", json={"text": "hi", "times": "<b>many</b>"})
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == "times"
        assert "many" not in answer.text


class TestSize:
    def test_the_largest_is_taken(self, sabotage, raw):
        body = b'{"text":"%s"}' % (b"x" * (limits.MAX_BODY_BYTES - 11))
        assert raw(NOTE, TYPE, f"Content-Length: {len(body)}", body=body).status == 200
        assert len(sabotage.notes[0].text) == limits.MAX_BODY_BYTES - 11

    @pytest.mark.parametrize("more", [1, 500_000])
    def test_more_is_refused(self, sabotage, raw, more):
        body = b" " * limits.MAX_BODY_BYTES + b" " * more
        answer = raw(NOTE, TYPE, f"Content-Length: {len(body)}", body=body)
        assert answer.status == 413
        assert "65536" in error(answer)["message"]
        assert sabotage.notes == []

    def test_a_length_beyond_all_bounds_is_refused_before_it_comes(self, raw):
        assert raw(NOTE, TYPE, "Content-Length: 99999999999999999999").status in {400, 413}

    def test_chunks_are_counted(self, sabotage, raw):
        body = chunked(*[b" " * 4096] * 17) + b"0\r\n\r\n"
        assert raw(NOTE, TYPE, "Transfer-Encoding: chunked", body=body).status == 413
        assert sabotage.notes == []

    def test_chunks_without_end_are_cut_off(self, sabotage, raw):
        body = chunked(*[b" " * 65536] * 64)
        assert raw(NOTE, TYPE, "Transfer-Encoding: chunked", body=body).status in {0, 413}
        assert sabotage.notes == []

    def test_small_chunks_are_taken(self, sabotage, raw):
        body = chunked(BODY[:5], BODY[5:]) + b"0\r\n\r\n"
        assert raw(NOTE, TYPE, "Transfer-Encoding: chunked", body=body).status == 200
        assert len(sabotage.notes) == 1

    def test_one_that_never_comes_is_given_up(self, monkeypatch, sabotage, raw):
        monkeypatch.setattr(limits, "BODY_S", 0.2)
        assert raw(NOTE, TYPE, "Content-Length: 13", body=BODY[:5]).status == 408
        assert sabotage.notes == []

    def test_one_that_breaks_off_changes_nothing(self, sabotage, served, connect):
        head = f"{NOTE}\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\n"
        head += f"X-RPent-CSRF: {served.csrf}\r\n{TYPE}\r\nContent-Length: 99\r\n\r\n"
        with connect() as connection:
            connection.sendall(head.encode() + BODY)
        assert served.client.get("/api/me").status_code == 200
        assert sabotage.notes == []

    def test_reading_takes_none(self, raw):
        answer = raw("GET /api/me HTTP/1.1", TYPE, f"Content-Length: {len(BODY)}", body=BODY)
        assert answer.status == 400

    def test_a_stranger_sends_none(self, raw):
        answer = raw(NOTE, TYPE, "Content-Length: 99999", body=b"", login=False)
        assert answer.status == 401


class TestFraming:
    """Two readings of one request are how a proxy is led to take a part of it for another one."""

    def test_two_ways_to_say_the_length_are_refused(self, sabotage, raw):
        lines = (TYPE, f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked")
        assert raw(NOTE, *lines, body=chunked(BODY) + b"0\r\n\r\n").status == 400
        assert sabotage.notes == []

    @pytest.mark.parametrize(
        "lines",
        [
            ("Content-Length: 13", "Content-Length: 5"),
            ("Content-Length: +13",),
            ("Content-Length: 0x0d",),
            ("Content-Length: -1",),
            ("Transfer-Encoding: gzip, chunked",),
            ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
            ("Transfer-Encoding : chunked",),
            (" Transfer-Encoding: chunked",),
            ("X: a\x00b",),
        ],
    )
    def test_lengths_that_can_be_read_in_two_ways_are_refused(self, sabotage, raw, lines):
        assert raw(NOTE, TYPE, *lines, body=BODY).status in {400, 415, 501}
        assert sabotage.notes == []

    def test_what_follows_a_refused_request_is_not_read_as_another(self, sabotage, served, raw):
        second = f"{NOTE}\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\n"
        second += f"X-RPent-CSRF: {served.csrf}\r\n{TYPE}\r\nContent-Length: {len(BODY)}\r\n\r\n"
        answer = raw(
            "GET /api/me HTTP/1.1",
            f"Content-Length: {len(second) + len(BODY)}",
            body=second.encode() + BODY,
        )
        assert answer.status == 400
        assert sabotage.notes == []
