"""Fixtures with Chromium, for tests of every distribution that look at the dashboard; the root's conftest has them.

There is one Playwright in a process, so they are registered once, not by the `conftest.py` of each folder.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with Chromium come last: Playwright leaves its event loop running in the thread of the tests."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _found(*programs: str) -> str | None:
    return next(filter(None, map(shutil.which, programs)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; without one the test is skipped, or fails with `RPENT_STRICT_BROWSER=1`."""
    program = os.environ.get("RPENT_CHROMIUM") or _found("chromium", "chromium-browser", "google-chrome")
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
        chromium.program, chromium.arguments = program, CHROMIUM_ARGS  # for tests that start another one
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open pages that are logged in: `new_page(served, locale="zh-CN", viewport={...}, color_scheme="dark")`.

    Each has a context of its own, as if it were another browser. What the page's scripts throw, and what the
    browser refuses by the Content-Security-Policy, is in `page.problems`.
    """
    contexts = []

    def open_page(served: Any, **options: Any) -> Any:
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
def screenshot(tmp_path: Path) -> Callable[..., Path]:
    """Keep pictures of pages: `screenshot(page, "library")`, below `$RPENT_SCREENSHOTS` or the test's folder."""
    folder = Path(os.environ.get("RPENT_SCREENSHOTS") or tmp_path / "screenshots")

    def take(page: Any, name: str, **options: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path, **options)
        return path

    return take
