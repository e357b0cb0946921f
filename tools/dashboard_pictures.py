"""Takes the documentation's pictures of the dashboard: real runs of LIBERO, in Chromium.

    uv run --no-sync python tools/dashboard_pictures.py

Writes docs/images/dashboard-*.jpg. Needs the simulator and Chromium (`make setup`, `tools/browser-setup`).
"""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
SUITE = ["--robot", "libero", "--suite", "libero_object_swap"]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
RPENT = [sys.executable, "-m", "rpent"]


def keep(page: Page, name: str) -> None:
    """Store a picture of the page."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(IMAGES / f"dashboard-{name}.jpg", quality=82, optimize=True)


@contextmanager
def dashboard(folder: Path, *arguments: str) -> Iterator[str]:
    """Run a command that serves the dashboard; yields the address with its token."""
    process = subprocess.Popen([*RPENT, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield next(filter(None, (re.search(r"http://\S+token=\S+", line) for line in process.stdout))).group()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def session(page: Page, folder: Path) -> None:
    """A session: a task solved, one under way, one in the queue."""
    with dashboard(
        folder, "run", *SUITE, "--task", "2", "--planner", "flash", "--dashboard", "--dashboard-port", "0"
    ) as url:
        page.goto(url)
        page.wait_for_url(re.compile(r"^[^?]*$"))
        page.goto(page.url.partition("#")[0] + "#/session")
        page.locator(".session-task .badge[data-outcome=success]").wait_for(timeout=60_000)
        for command in ("/rpent-task libero_object_swap 3", "/rpent-task libero_object_swap 5 seed=2"):
            page.locator("#composer-text").fill(command)
            page.get_by_role("button", name="Send").click()
            page.locator("#composer-text:text-is('')").wait_for(state="attached")
        page.locator(".run-row-call.is-running", has_text="place").wait_for(timeout=60_000)
        keep(page, "session")
        page.locator(".session-task .badge[data-outcome=success]").nth(2).wait_for(timeout=60_000)


def library(page: Page, folder: Path) -> None:
    """The list, a run, and two runs side by side."""
    with dashboard(folder, "dashboard", "--port", "0") as url:
        page.goto(url)
        page.wait_for_url(re.compile(r"^[^?]*$"))
        base = page.url.partition("#")[0]
        page.goto(f"{base}#/")
        page.get_by_text("Pick the").nth(5).wait_for()
        page.wait_for_load_state("networkidle")
        keep(page, "runs")
        runs = page.evaluate("fetch('/api/runs?q=salad').then((answer) => answer.json())")["runs"]
        first, second = sorted(run["key"] for run in runs)[:2]
        page.goto(f"{base}#/run/{first}")
        page.locator(".run-verdict").wait_for()
        page.wait_for_timeout(500)
        keep(page, "run")
        page.goto(f"{base}#/compare/{first}/{second}")
        page.locator("img").nth(1).wait_for()
        page.wait_for_timeout(500)
        keep(page, "compare")


def main() -> None:
    """Make runs and take the pictures."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        for task in (2, 2, 4):
            command = [*RPENT, "run", *SUITE, "--task", str(task), "--planner", "flash", "--quiet"]
            subprocess.run(command, cwd=folder, check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 860}, locale="en-US")
        session(page, folder)
        library(page, folder)
        browser.close()


if __name__ == "__main__":
    main()
