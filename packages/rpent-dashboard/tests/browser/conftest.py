"""The page's own files in Chromium, without a server: what `/static` and `/api` answer comes from the test."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from rpent_dashboard.web.security.headers import CONTENT_SECURITY_POLICY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page, Route

ORIGIN = "http://dashboard.test"
STATIC = Path(str(files("rpent_dashboard"))) / "static"
ME = {"version": "0", "csrf": "c", "output_dir": "runs", "loopback": True, "hosting": False}


class Offline:
    """A browser context whose requests the test answers."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.answers: dict[str, Callable[[dict[str, str]], Any]] = {"/api/me": lambda _: ME}
        self.problems: list[str] = []
        context.route(f"{ORIGIN}/**", self._serve)

    def page(self, address: str = "/", *, width: int = 1280, height: int = 800) -> Page:
        """Open an address; errors in the page are kept in `problems`."""
        page = self.context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self._console(message.type, message.text))
        page.goto(f"{ORIGIN}{address}")
        return page

    def _console(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(text)

    def _serve(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        if url.path == "/blank":
            styles = "".join(
                f'<link rel="stylesheet" href="/static/css/{n}.css">' for n in ("tokens", "base", "forms")
            )
            route.fulfill(
                body=f"<!doctype html><html lang=en>{styles}<body><main></main>",
                content_type="text/html",
                headers=headers,
            )
        elif url.path == "/":
            route.fulfill(path=STATIC / "index.html", headers=headers)
        elif url.path.startswith("/static/"):
            file = STATIC / url.path.removeprefix("/static/")
            route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)
        elif url.path in self.answers:
            query = {name: values[-1] for name, values in parse_qs(url.query).items()}
            self._answer(route, self.answers[url.path](query))
        else:
            route.fulfill(status=404, body="{}", content_type="application/json")

    def _answer(self, route: Route, answer: Any) -> None:
        if isinstance(answer, bytes):
            kind = "image/png" if answer.startswith(b"\x89PNG") else "text/event-stream"
            route.fulfill(body=answer, content_type=kind)
        else:
            route.fulfill(body=json.dumps(answer), content_type="application/json")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Chromium, as the machine has it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        yield browser
        browser.close()


@pytest.fixture
def offline(chromium: Browser) -> Iterator[Offline]:
    """The dashboard's files, answered by the test; an error in the page fails it."""
    context = chromium.new_context(locale="en-US", reduced_motion="reduce")
    made = Offline(context)
    yield made
    context.close()
    assert made.problems == []
