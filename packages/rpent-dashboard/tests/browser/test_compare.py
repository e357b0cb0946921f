"""Two runs side by side in Chromium, over the real server."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

START = 1_790_000_000.0
INSTRUCTION = "put the red cube on the pad"


@pytest.fixture
def pair(make_run: Callable[..., Path], serve: Any) -> Any:
    """A dashboard with the runs `a` (2 steps, success) and `b` (2 steps, failure, another seed and model)."""
    make_run("a")
    failure = {"reason": "finished", "benchmark_success": False, "detail": "Missed."}
    usage = {"input_tokens": 30, "output_tokens": 5, "cost_usd": 0.5, "model": "other/model"}
    make_run(
        "b",
        manifest={
            "outcome": failure,
            "usage": usage,
            "planner": {"name": "scripted", "config": {"model": "other/model"}},
            "counts": {"turns": 2, "tool_calls": 7, "env_steps": 40},
        },
    )
    return serve


def compare(page: Page, a: str = "a", b: str = "b", query: str = "") -> Page:
    """Open the comparison."""
    page.goto(f"{page.url.split('#')[0]}#/compare/{a}/{b}{query}")
    page.get_by_role("heading", name="Compare").wait_for()
    return page


def place(page: Page, text: str) -> None:
    """Wait until the scrubber says where both are."""
    page.locator(".compare-place", has_text=text).wait_for()


def pictures(page: Page) -> list[str]:
    """Where the pictures on view come from."""
    found: list[str] = page.locator(".compare-picture").evaluate_all("nodes => nodes.map((node) => node.src)")
    return [address.partition("steps/")[2] for address in found]


def test_heads_measures_and_settings_differ(pair: Any, new_page: Any) -> None:
    page = compare(new_page(pair))
    heads = page.locator(".compare-head")
    heads.nth(1).get_by_text("Failure").wait_for()
    assert heads.nth(0).get_by_text("Success").is_visible()
    assert heads.nth(1).get_by_text("other/model").is_visible()
    row = page.get_by_role("row", name="Tool calls")
    assert row.get_by_role("cell").all_inner_texts() == ["3", "7", "+4 (+133%)"]
    assert page.get_by_role("row", name="Cost").get_by_role("cell").all_inner_texts() == [
        "$0.25",
        "$0.50",
        "+$0.25 (+100%)",
    ]
    settings = page.get_by_role("row", name="planner.config.model").get_by_role("cell")
    assert settings.all_inner_texts() == ["some/model", "other/model"]
    assert page.problems == []


def test_one_scrubber_moves_both(pair: Any, new_page: Any) -> None:
    page = compare(new_page(pair))
    place(page, "Step A 1 · B 1")
    assert pictures(page) == ["0001/table.jpg"] * 2
    page.keyboard.press("ArrowLeft")
    place(page, "Step A 0 · B 0")
    assert page.locator(".compare-picture").evaluate_all("nodes => nodes.length") == 2
    page.locator(".compare-call", has_text="move_to(xyz=[0,0,0])").first.wait_for()
    page.wait_for_url("**?at=0")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    place(page, "Step A 1 · B 1")
    page.reload()
    place(page, "Step A 1 · B 1")
    page.locator(".compare-call summary").first.click()
    assert page.locator(".compare-call pre").nth(1).inner_text().split() == ["{", '"ok":', "true", "}"]


def test_by_time_the_slower_run_lags(pair: Any, new_page: Any, make_run: Callable[..., Path]) -> None:
    events = [json.loads(line) for line in (pair.output_dir / "a/events.jsonl").read_text().splitlines()]
    slow = [{**event, "time": START + (event["time"] - START) * 3} for event in events]
    make_run("slow", events=slow)
    page = compare(new_page(pair), "a", "slow")
    place(page, "Step A 1 · B 1")
    page.keyboard.press("Home")
    place(page, "Step A 0 · B 0")
    page.keyboard.press("t")
    page.get_by_role("button", name="By time", pressed=True).wait_for()
    page.keyboard.press("ArrowRight")
    place(page, "2 s · Step A 1 · B 0")
    page.keyboard.press("ArrowRight")
    place(page, "6 s · Step A 1 · B 1")
    page.get_by_role("button", name="By step").click()
    place(page, "Step A 1 · B 1")


def test_swap_and_open(pair: Any, new_page: Any) -> None:
    page = compare(new_page(pair))
    place(page, "A 1")
    page.get_by_role("button", name="Swap").click()
    page.wait_for_url("**/#/compare/b/a")
    page.locator(".compare-head").nth(0).get_by_text("Failure").wait_for()
    page.get_by_role("link", name="Open B").click()
    page.wait_for_url("**/#/run/a?step=1")


@pytest.fixture
def running(make_run: Callable[..., Path]) -> Iterator[Path]:
    """A run that a process is writing."""
    run = make_run("live", manifest={"outcome": None, "finished": None})
    events = (run / "events.jsonl").read_text().splitlines()
    (run / "events.jsonl").write_text("\n".join(events[:-1]) + "\n")
    with (run / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield run


def test_a_run_under_way_moves_along(pair: Any, new_page: Any, running: Path) -> None:
    page = compare(new_page(pair), "a", "live")
    place(page, "Step A 1 · B 1")
    page.locator(".compare-head").nth(1).get_by_text("Running").wait_for()
    last = json.loads((running / "events.jsonl").read_text().splitlines()[-1])
    with (running / "events.jsonl").open("a") as file:
        file.write(json.dumps({**last, "seq": last["seq"] + 1, "time": last["time"] + 1, "step": 2}) + "\n")
    place(page, "Step A 1 · B 2")


def test_a_run_that_is_not_there_says_so_beside_the_other(pair: Any, new_page: Any) -> None:
    page = compare(new_page(pair), "a", "gone")
    page.locator(".compare-head").nth(1).get_by_role("alert").wait_for()
    assert page.locator(".compare-head").nth(0).get_by_text(INSTRUCTION).is_visible()


def test_what_tools_say_is_text(pair: Any, new_page: Any, make_run: Callable[..., Path]) -> None:
    bad = "<img src=x onerror=\"document.title='hit'\">"
    events = [json.loads(line) for line in (pair.output_dir / "a/events.jsonl").read_text().splitlines()]
    for event in events:
        if event["type"] == "tool_called":
            event |= {"name": bad, "arguments": {bad: bad}}
        if event["type"] == "tool_returned":
            event |= {"name": bad, "data": {bad: bad}}
    make_run("bad", events=events, manifest={"task": {"instruction": bad, "seed": bad}})
    page = compare(new_page(pair), "a", "bad")
    place(page, "Step A 1 · B 1")
    page.locator(".compare-call summary").nth(1).click()
    assert page.locator("main img[src=x]").count() == 0
    assert "hit" not in page.title()
    assert page.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(360, "zh-CN"), (1440, "en-US")])
def test_it_fits_and_can_be_read(
    pair: Any, look: Any, screenshot: Any, *, theme: str, width: int, locale: str
) -> None:
    page = look(pair, width, theme, locale)
    page.goto(f"{page.url.split('#')[0]}#/compare/a/b")
    place(page, "A 1 · B 1")
    page.locator(".compare-call summary").first.click()
    screenshot(page, f"compare-{theme}-{width}-{locale}", full_page=True)
    look.check(page)
