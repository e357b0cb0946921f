"""LIBERO-PRO in the dashboard, in Chromium: watched live, queued, steered, driven by hand, reloaded, in Chinese."""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from rpent.testing.models import Call, ModelServer, Reply

from .processes import DashboardProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.browser, pytest.mark.sim]

SUITE = ("--robot", "libero", "--suite", "libero_object_swap", "--task", "2", "--seed", "0")
SERVE = ("--dashboard", "--dashboard-port", "0", "--output-dir", "runs")
FIRST = "Pick the salad dressing and place it in the basket"
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111


@pytest.fixture
def start(tmp_path) -> Iterator[Callable[..., DashboardProcess]]:
    """Start `rpent` with a dashboard; compiled scenes are those of the user's cache."""
    running: list[DashboardProcess] = []

    def started(*arguments: str, **env: str) -> DashboardProcess:
        process = DashboardProcess(*arguments, cwd=tmp_path, XDG_CACHE_HOME=CACHE, **env)
        running.append(process)
        return process

    yield started
    for process in running:
        process.__exit__()


def opened(new_page: Callable[..., Any], rpent: DashboardProcess, **options: Any) -> Any:
    """The session's page in a browser of its own."""
    page = new_page(rpent, **{"viewport": {"width": 1440, "height": 900}, **options})
    page.set_default_timeout(90_000)
    page.goto(rpent.token_url.partition("?")[0] + "#/session")
    page.locator("#composer-text").wait_for()
    return page


def task(page: Any, number: int, outcome: str) -> None:
    """Wait until so many tasks of the queue's panel came to an outcome."""
    page.get_by_role("tab", name=re.compile("^(Tasks|任务)$")).click()
    page.locator(f".session-task .badge[data-outcome={outcome}]").nth(number - 1).wait_for()


def events_of(rpent: DashboardProcess, tmp_path, number: int) -> list[dict[str, Any]]:
    """The events of a task's run."""
    key = rpent.state["tasks"][number]["run"]
    log = tmp_path / "runs" / key.replace("~", "/") / "events.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()]


def conversation(page: Any) -> list[str]:
    """The rows of the conversation that are in the document."""
    return page.locator(".run-row .run-content").all_inner_texts()


def test_flash_is_watched_from_start_to_success_and_a_second_task_follows(
    start, new_page, screenshot, tmp_path
):
    rpent = start("run", *SUITE, "--planner", "flash", *SERVE)
    english = opened(new_page, rpent)
    chinese = opened(new_page, rpent, locale="zh-CN", color_scheme="dark")

    english.locator(".run-row-call").first.wait_for()
    live = english.locator(".run-region-watch img").first
    live.wait_for()
    english.wait_for_function("document.querySelector('.run-region-watch img').naturalWidth > 0")
    shown = live.get_attribute("src")
    english.wait_for_function(
        "before => document.querySelector('.run-region-watch img').getAttribute('src') !== before", arg=shown
    )
    screenshot(english, "libero-live")

    english.locator("#composer-text").fill("/rpent-task libero_object_swap 3 seed=1")
    english.get_by_role("button", name="Send").click()
    chinese.get_by_role("tab", name="任务").click()
    chinese.locator(".session-task").nth(1).wait_for()

    english.reload()  # in the middle of a run
    english.locator(".run-row-call").first.wait_for()
    for page in (english, chinese):
        task(page, 2, "success")
        page.get_by_text(re.compile("The benchmark says: success|基准")).first.wait_for()
    assert [each["outcome"] for each in rpent.state["tasks"]] == ["success", "success"]
    assert rpent.state["tasks"][1]["values"] == {"suite": "libero_object_swap", "task": 3, "seed": 1}
    screenshot(english, "libero-done")
    screenshot(chinese, "libero-done-chinese")

    frames = [event for event in events_of(rpent, tmp_path, 0) if event["type"] == "frame"]
    assert frames, "no picture of a motion under way"
    returned = [event for event in events_of(rpent, tmp_path, 0) if event["type"] == "tool_returned"]
    assert any(view["name"] == "wrist" for event in returned for view in event["views"])
    assert english.problems == chinese.problems == []
    rpent.post("/close")
    assert rpent.leave() == 0


def test_what_was_watched_live_is_what_is_on_record(start, new_page):
    rpent = start("run", *SUITE, "--planner", "flash", *SERVE)
    page = opened(new_page, rpent)
    task(page, 1, "success")
    key = rpent.state["tasks"][0]["run"]
    page.locator(".run-verdict").wait_for()
    live = conversation(page)
    page.goto(page.url.partition("#")[0] + f"#/run/{key}")
    page.locator(".run-verdict").wait_for()
    assert conversation(page)[-3:] == live[-3:]
    page.reload()
    page.locator(".run-verdict").wait_for()
    assert conversation(page)[-3:] == live[-3:]


def test_a_message_reaches_the_model_in_the_middle_of_a_run(start, new_page, tmp_path):
    script = [
        Reply(text="I look for it first.", calls=[Call("segment", {"prompt": "salad dressing"})]),
        Reply(text="Shall I go on?"),
        Reply(calls=[Call("finish", {"status": "stuck", "summary": "The user said so."})]),
    ]
    with ModelServer(script, key="test-key") as server:
        model = ("--planner", "api", "--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1")
        rpent = start("run", *SUITE, *model, *SERVE, OPENAI_API_KEY="test-key")
        page = opened(new_page, rpent)
        page.locator(".run-row-text", has_text="Shall I go on?").wait_for()
        page.locator("#composer-text").fill("Stop here, <i>please</i>.")
        page.keyboard.press("Enter")
        task(page, 1, "failure")
    assert "Stop here, <i>please</i>." in json.dumps(server.requests[2].body, ensure_ascii=False)
    assert "Stop here" not in json.dumps(server.requests[1].body)
    page.get_by_text("Stop here, <i>please</i>.").first.wait_for()
    assert page.problems == []


def test_a_person_drives_the_arm_by_forms_and_stops_it(start, new_page, screenshot, tmp_path):
    rpent = start("run", *SUITE, "--planner", "manual", *SERVE)
    page = opened(new_page, rpent)
    page.get_by_role("tab", name="Controls").click()
    tool = page.locator("[data-tool=move_to]")
    tool.locator("summary").click()
    page.get_by_text("The robot is yours").wait_for()
    for axis, value in (("x", "0.1"), ("y", "-0.1"), ("z", "a bit higher")):
        tool.get_by_label(axis, exact=True).fill(value)
    tool.get_by_role("button", name="Call").click()
    assert tool.get_by_label("z", exact=True).get_attribute("aria-invalid") == "true"
    assert not [event for event in events_of(rpent, tmp_path, 0) if event["type"] == "tool_called"]
    screenshot(page, "libero-controls-refused")

    tool.get_by_label("z", exact=True).fill("0.45")
    tool.get_by_role("button", name="Call").click()
    page.locator(".run-row-call.is-running").wait_for()
    began = time.monotonic()
    page.get_by_role("button", name="Interrupt").click()
    page.locator(".run-row-call.is-running").wait_for(state="detached")
    assert time.monotonic() - began < 2
    (returned,) = (event for event in events_of(rpent, tmp_path, 0) if event["type"] == "tool_returned")
    assert returned["cancelled"]
    assert returned["origin"] == "user"
    tool.locator(".session-result .badge", has_text="cancelled").wait_for()
    screenshot(page, "libero-controls")
    assert page.problems == []
