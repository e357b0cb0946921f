"""Many windows of one browser, which share six connections: each follows its run, and requests get through."""

from __future__ import annotations

import json

import pytest
from rpent.run.lock import RunLock

pytestmark = pytest.mark.browser
WINDOWS = 8


def test_eight_visible_windows_follow_a_run_and_can_act(serve, make_run, page):
    run = make_run("live", manifest={"outcome": None, "finished": None}, events=[])

    def say(number, text):
        with (run / "events.jsonl").open("a") as log:
            log.write(
                json.dumps({"type": "text", "turn": 1, "seq": number, "time": 1.0, "text": text}) + "\n"
            )

    with RunLock(run):
        say(0, "the first word")
        windows = [page, *(page.context.new_page() for _ in range(WINDOWS - 1))]
        for window in windows:
            window.goto(f"{serve.url}/#/run/live")
            window.locator(".run-row", has_text="the first word").wait_for()
        say(1, "the second word")
        for window in windows:
            window.locator(".run-row", has_text="the second word").wait_for()
            assert window.evaluate("async () => (await fetch('/api/me')).status") == 200
    assert page.problems == []
