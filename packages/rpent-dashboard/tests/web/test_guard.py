"""Who is let in, and from where: requests that are wrong in one thing."""

from __future__ import annotations

import json

import httpx
import pytest
from rpent_dashboard.web.security.access import Access
from rpent_dashboard.web.security.headers import ALWAYS

ME = "GET /api/me HTTP/1.1"
NOTE = "POST /api/test/note HTTP/1.1"
JSON = ("Content-Type: application/json", "Content-Length: 13")
BODY = b'{"text":"hi"}'


def refused(answer, status):
    """Whether it is a refusal in the words of the API, under all headers."""
    assert answer.status == status, answer
    error = json.loads(answer.body)["error"]
    assert error["message"].endswith(".")
    assert set(error) == {"message", "hint", "field"}
    for name, value in ALWAYS.items():
        assert answer.headers[name.lower()] == value
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers
    return True


class TestCookie:
    def test_the_token_gives_one_and_it_opens_the_api(self, served):
        answer = httpx.get(served.token_url, trust_env=False)
        assert answer.status_code == 200
        flags = answer.headers["Set-Cookie"].lower()
        assert "httponly" in flags
        assert "samesite=strict" in flags
        assert "path=/" in flags
        token = served.token_url.partition("token=")[2]
        assert token not in answer.text + answer.headers["Set-Cookie"]
        assert served.client.get("/api/me").status_code == 200

    def test_none_is_refused(self, raw):
        assert refused(raw(ME, login=False), 401)

    @pytest.mark.parametrize("token", ["", "wrong", "é", "%00", "x" * 4000])
    def test_a_wrong_token_gives_none(self, served, token):
        answer = httpx.get(f"{served.url}/?token={token}", trust_env=False)
        assert answer.status_code == 401
        assert "Set-Cookie" not in answer.headers

    def test_no_token_shows_a_sentence(self, served):
        answer = httpx.get(served.url, trust_env=False)
        assert answer.status_code == 401
        assert "token" in answer.text
        assert "main.js" not in answer.text

    @pytest.mark.parametrize(
        "change", [lambda c: c[:-1], lambda c: c[:-1] + "!", lambda c: "a" + c, lambda c: c + "a"]
    )
    def test_a_changed_one_is_refused(self, served, raw, change):
        name, _, value = served.cookie.partition("=")
        assert refused(raw(ME, f"Cookie: {name}={change(value)}", login=False), 401)

    def test_one_of_another_token_is_refused(self, served, raw):
        other = Access("another token of some length", served.port)
        assert refused(raw(ME, f"Cookie: {other.cookie_name}={other.new_cookie()}", login=False), 401)

    def test_the_token_itself_is_none(self, served, raw):
        name = served.cookie.partition("=")[0]
        token = served.token_url.partition("token=")[2]
        assert refused(raw(ME, f"Cookie: {name}={token}", login=False), 401)
        assert refused(raw(f"GET /api/me?token={token} HTTP/1.1", login=False), 401)
        assert refused(raw(ME, f"Authorization: Bearer {token}", login=False), 401)

    def test_two_of_the_name_are_refused(self, served, raw):
        name = served.cookie.partition("=")[0]
        for both in (f"{name}=planted; {served.cookie}", f"{served.cookie}; {name}=planted"):
            assert refused(raw(ME, f"Cookie: {both}", login=False), 401)

    def test_an_old_bookmark_leads_to_the_page_of_whoever_is_in(self, served):
        answer = served.client.get("/?token=of-an-earlier-process")
        assert (answer.status_code, answer.headers["Location"]) == (303, "/")


class TestHost:
    @pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
    def test_own_names_are_answered(self, served, raw, name):
        assert raw(ME, host=f"{name}:{served.port}").status == 200

    @pytest.mark.parametrize(
        "host",
        [
            "evil.example:{port}",
            "127.0.0.1.evil.example:{port}",
            "localhost.evil.example:{port}",
            "evil.example",
            "127.0.0.1:1",
            "127.0.0.1",
            "localhost:{port}@evil.example",
            "evil.example#localhost:{port}",
            "127.1:{port}",
            "[::ffff:127.0.0.1]:{port}",
            "localhost.:{port}",
            "10.0.0.1:{port}",
        ],
    )
    def test_other_names_are_refused(self, served, raw, host):
        assert refused(raw(ME, host=host.format(port=served.port)), 421)

    def test_a_page_and_its_scripts_are_refused_too(self, served, raw):
        host = f"evil.example:{served.port}"
        assert refused(raw("GET / HTTP/1.1", host=host), 421)
        assert refused(raw("GET /static/js/main.js HTTP/1.1", host=host), 421)

    def test_none_is_refused(self, raw):
        assert refused(raw("GET /api/me HTTP/1.0", host=None), 421)
        assert raw(ME, host=None).status == 400

    def test_two_are_refused(self, served, raw):
        assert raw(ME, f"Host: 127.0.0.1:{served.port}").status == 400

    def test_forwarding_headers_change_nothing(self, served, raw):
        evil = ("X-Forwarded-Host: evil.example", "X-Forwarded-For: 10.0.0.1", "Forwarded: host=evil.example")
        assert raw(ME, *evil).status == 200
        own = f"X-Forwarded-Host: 127.0.0.1:{served.port}"
        assert refused(raw(ME, own, host="evil.example"), 421)

    def test_the_target_cannot_name_another(self, served, raw):
        assert refused(raw(f"GET http://127.0.0.1:{served.port}/api/me HTTP/1.1"), 400)


class TestOrigin:
    @pytest.mark.parametrize(
        "origin",
        [
            "http://evil.example",
            "http://evil.example:{port}",
            "http://127.0.0.1",
            "http://127.0.0.1:1",
            "null",
            "",
            "file://",
            "http://localhost:{port}.evil.example",
            "chrome-extension://localhost:{port}",
        ],
    )
    def test_other_pages_are_refused(self, sabotage, served, raw, origin):
        line = f"Origin: {origin.format(port=served.port)}"
        assert refused(raw(NOTE, line, *JSON, body=BODY), 403)
        assert refused(raw(ME, line), 403)
        assert sabotage.notes == []

    def test_the_own_page_is_answered(self, sabotage, served, raw):
        line = f"Origin: http://localhost:{served.port}"
        assert raw(NOTE, line, "Sec-Fetch-Site: same-origin", *JSON, body=BODY).status == 200
        assert [note.text for note in sabotage.notes] == ["hi"]

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_other_sites_are_refused(self, raw, site):
        line = f"Sec-Fetch-Site: {site}"
        assert refused(raw(ME, line, "Sec-Fetch-Mode: no-cors"), 403)
        assert refused(raw("GET /static/js/main.js HTTP/1.1", line, "Sec-Fetch-Mode: no-cors"), 403)
        assert refused(raw("GET / HTTP/1.1", line, "Sec-Fetch-Mode: cors"), 403)

    @pytest.mark.parametrize("path", ["/api/me", "/static/js/main.js", "//", "/index.html"])
    def test_a_link_to_anything_else_is_refused(self, raw, path):
        line = f"GET {path} HTTP/1.1"
        assert refused(raw(line, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate"), 403)

    def test_a_link_to_the_front_page_may_be_anywhere(self, raw):
        assert raw("GET / HTTP/1.1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate").status == 200

    def test_nobody_gets_cors_headers(self, served, raw):
        answer = raw(
            "OPTIONS /api/test/note HTTP/1.1",
            "Origin: http://evil.example",
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: x-rpent-csrf",
        )
        assert refused(answer, 403)
        assert not any(name.startswith("access-control") for name in answer.headers)


class TestCsrf:
    def test_a_change_without_the_header_is_refused(self, sabotage, served, raw):
        cookie = f"Cookie: {served.cookie}"
        assert refused(raw(NOTE, cookie, *JSON, login=False, body=BODY), 403)
        assert refused(raw("DELETE /api/test/note HTTP/1.1", cookie, login=False), 403)
        assert sabotage.notes == []

    @pytest.mark.parametrize("value", ["", "wrong", "\xff", "0" * 64])
    def test_a_wrong_header_is_refused(self, served, raw, value):
        lines = (f"Cookie: {served.cookie}", f"X-RPent-CSRF: {value}")
        assert refused(raw(NOTE, *lines, *JSON, login=False, body=BODY), 403)

    def test_that_of_another_session_is_refused(self, served, raw):
        with httpx.Client(base_url=served.url, trust_env=False) as other:
            other.get(served.token_url)
            csrf = other.get("/api/me").json()["csrf"]
        assert csrf != served.csrf
        lines = (f"Cookie: {served.cookie}", f"X-RPent-CSRF: {csrf}")
        assert refused(raw(NOTE, *lines, *JSON, login=False, body=BODY), 403)

    def test_the_header_alone_is_refused(self, served, raw):
        assert refused(raw(NOTE, f"X-RPent-CSRF: {served.csrf}", *JSON, login=False, body=BODY), 401)

    def test_both_change_something(self, served, sabotage):
        assert served.client.post("/api/test/note", json={"text": "hi"}).json() == {"done": True}
        assert len(sabotage.notes) == 1
        assert served.client.delete("/api/test/note").json() == {"done": True}
        assert sabotage.notes == []
