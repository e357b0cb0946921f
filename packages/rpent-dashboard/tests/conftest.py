"""Fixtures: a real dashboard over a real socket, a client of it, and Chromium."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from rpent_dashboard.config import DashboardConfig
from rpent_dashboard.web.serving import Dashboard

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class Served:
    """A dashboard that is up."""

    dashboard: Dashboard
    output_dir: Path
    client: httpx.Client
    """Logged in: it has the cookie, and the CSRF header for changes."""

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at its end."""
        return self.dashboard.url.rstrip("/")

    @property
    def token_url(self) -> str:
        """The address that opens it."""
        return self.dashboard.token_url

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.url.rpartition(":")[2])

    @property
    def cookie(self) -> str:
        """The client's cookie, as in a `Cookie` header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.client.cookies.jar)

    @property
    def csrf(self) -> str:
        """The client's CSRF value."""
        return self.client.headers["X-RPent-CSRF"]


@pytest.fixture
def serve_with(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start dashboards: `serve_with(output_dir=..., host=..., port=..., token_file=..., allowed_host=[...])`."""
    started: list[Served] = []

    def start(*, output_dir: Path | None = None, host: Any = None, **config: Any) -> Served:
        folder = output_dir or tmp_path / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        dashboard = Dashboard(
            DashboardConfig.model_validate({"port": 0, **config}), output_dir=folder, host=host
        )
        client = httpx.Client(base_url=dashboard.url, timeout=20, trust_env=False)
        served = Served(dashboard, folder, client)
        started.append(served)
        assert client.get(dashboard.token_url).status_code == 200
        client.headers["X-RPent-CSRF"] = client.get("/api/me").json()["csrf"]
        return served

    yield start
    for served in started:
        served.client.close()
        served.dashboard.stop()


@pytest.fixture
def serve(serve_with: Callable[..., Served]) -> Served:
    """A dashboard over an empty output directory, which watches runs and starts none."""
    return serve_with()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; without one the test is skipped, or fails with `RPENT_STRICT_BROWSER=1`."""
    program = os.environ.get("RPENT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if os.environ.get("RPENT_STRICT_BROWSER") == "1":
        from playwright import sync_api
    else:
        sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGS)
        except sync_api.Error as error:
            if os.environ.get("RPENT_STRICT_BROWSER") == "1":
                raise
            pytest.skip(f"Chromium does not start: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open pages that are logged in: `new_page(served, locale="zh-CN", viewport={...}, color_scheme="dark")`.

    Each has a context of its own, as if it were another browser. What the page's scripts throw, and what the
    browser refuses by the Content-Security-Policy, is in `page.problems`.
    """
    contexts = []

    def open_page(served: Served, **options: Any) -> Any:
        context = browser.new_context(**{"locale": "en-US", **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on(
            "console",
            lambda line: (
                page.problems.append(line.text)
                if line.type == "error" and "Content Security Policy" in line.text
                else None
            ),
        )
        page.goto(served.token_url)
        page.wait_for_url(re.compile(r"^[^?]*$"))
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(serve: Served, new_page: Callable[..., Any]) -> Any:
    """A page of `serve` in Chromium, logged in."""
    return new_page(serve)


@pytest.fixture
def screenshot(tmp_path: Path) -> Callable[..., Path]:
    """Keep pictures of pages: `screenshot(page, "library")`, below `$RPENT_SCREENSHOTS` or the test's folder."""
    folder = Path(os.environ.get("RPENT_SCREENSHOTS") or tmp_path / "screenshots")

    def take(page: Any, name: str, **options: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path, **options)
        return path

    return take
