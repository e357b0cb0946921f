"""Parts of the page in Chromium without a server, and the checks that every page has to pass."""

from __future__ import annotations

import sys
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from rpent_dashboard.web.security.headers import CONTENT_SECURITY_POLICY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page, Route

ORIGIN = "http://dashboard.test"
STATIC = Path(str(files("rpent_dashboard"))) / "static"


class Offline:
    """A browser context that gets the dashboard's files, and nothing else."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.problems: list[str] = []
        context.route(f"{ORIGIN}/**", self._serve)

    def page(self, address: str = "/blank", *, width: int = 1280, height: int = 800) -> Page:
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
        elif url.path.startswith("/static/"):
            file = STATIC / url.path.removeprefix("/static/")
            route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)
        else:
            route.fulfill(status=404, body="{}", content_type="application/json")


@pytest.fixture
def offline(browser: Browser) -> Iterator[Offline]:
    """The dashboard's files, without a server; an error in the page fails the test."""
    context = browser.new_context(locale="en-US", reduced_motion="reduce")
    made = Offline(context)
    yield made
    context.close()
    assert made.problems == []


CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
NAMELESS = (Path(__file__).parent / "nameless.js").read_text()


@pytest.fixture
def too_faint() -> Callable[[Page], list[str]]:
    """Find the visible texts of a page whose contrast with what is below them misses WCAG AA."""

    def find(page: Page) -> list[str]:
        found: list[str] = page.evaluate(CONTRAST)
        return found

    return find


class Look:
    """Opens pages as somebody sees them, and checks that they can be read there."""

    def __init__(self, new_page: Callable[..., Page]) -> None:
        self._new_page = new_page

    def __call__(self, served: Any, width: int, theme: str, locale: str) -> Page:
        """Open the dashboard."""
        viewport = {"width": width, "height": 800}
        return self._new_page(served, viewport=viewport, color_scheme=theme, locale=locale)

    def check(self, page: Page) -> None:
        """All texts stand out, all controls have names, nothing sticks out of the page, and no script failed."""
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.problems == []  # type: ignore[attr-defined]


@pytest.fixture
def look(new_page: Callable[..., Page]) -> Look:
    """Open pages in a width, a theme and a language, and check them."""
    return Look(new_page)


SYNTHETIC = Path(__file__).parents[4] / "benchmarks" / "dashboard_runs.py"


@pytest.fixture(scope="session")
def synthetic() -> Any:
    """The module that writes synthetic runs: `write_run(path, events)`, `SyntheticRun(path)`."""
    spec = spec_from_file_location("dashboard_runs", SYNTHETIC)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
