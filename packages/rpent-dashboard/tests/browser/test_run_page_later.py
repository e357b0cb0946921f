"""What becomes of a run while its page is open: it is resumed, or deleted."""

from __future__ import annotations

import json
import shutil

import pytest
from rpent.run.lock import RunLock

pytestmark = pytest.mark.browser


def line(**event):
    return json.dumps({"time": 1_790_000_100.0, **event}) + "\n"


def test_a_run_that_is_resumed_goes_on_in_its_open_page(serve, make_run, page):
    run = make_run("ended")
    page.goto(f"{serve.url}/#/run/ended")
    page.locator(".run-state .badge[data-outcome=success]").wait_for()
    with RunLock(run):
        manifest = json.loads((run / "run.json").read_text())
        del manifest["outcome"], manifest["finished"]
        (run / "run.json").write_text(json.dumps(manifest))
        with (run / "events.jsonl").open("a") as log:
            log.write(line(type="run_resumed", seq=50, step=1, planner="scripted"))
            log.write(line(type="text", seq=51, turn=3, text="where was I"))
        page.locator(".run-state .badge[data-outcome=running]").wait_for()
        page.locator(".run-row", has_text="where was I").wait_for()
        with (run / "events.jsonl").open("a") as log:
            log.write(line(type="text", seq=52, turn=3, text="on we go"))
        page.locator(".run-row", has_text="on we go").wait_for()
    assert page.problems == []


def test_a_run_that_is_deleted_while_it_goes_on_is_said_to_be_gone(serve, make_run, page):
    run = make_run("gone", manifest={"outcome": None, "finished": None}, events=[])
    with RunLock(run):
        page.goto(f"{serve.url}/#/run/gone")
        page.locator(".run-state .badge[data-outcome=running]").wait_for()
        shutil.rmtree(run)
    gone(page)


def test_a_run_that_is_deleted_afterwards_is_said_to_be_gone(serve, make_run, page):
    run = make_run("gone")
    page.goto(f"{serve.url}/#/run/gone")
    page.locator(".run-state .badge[data-outcome=success]").wait_for()
    shutil.rmtree(run)
    gone(page)


def gone(page):
    page.locator(".run-notices", has_text="There is no such run").wait_for()
    assert page.locator(".run-state .badge[data-outcome=running]").count() == 0
    assert "▶" not in page.title()
    assert page.problems == []


def test_a_browser_that_forbids_full_screen_and_the_clipboard_is_no_error(serve, make_run, page):
    make_run("stopped", manifest={"outcome": None, "finished": None}, events=[])
    page.add_init_script(
        "Element.prototype.requestFullscreen = async () => { throw new Error('forbidden'); };"
        "navigator.clipboard.writeText = async () => { throw new Error('forbidden'); };"
    )
    page.goto(f"{serve.url}/#/run/stopped")
    page.reload()
    page.locator(".run-notices code", has_text="rpent resume stopped").wait_for()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copy").wait_for(state="detached")
    assert page.get_by_text("Copied").count() == 0
    page.keyboard.press("f")
    page.wait_for_timeout(200)
    assert page.problems == []
