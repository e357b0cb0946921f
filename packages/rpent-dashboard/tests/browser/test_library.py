"""The list of runs in Chromium, over the real server and a folder of many runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MANY = 1500
CREATED = 1_790_000_000.0


@pytest.fixture
def many(make_run: Callable[..., Path], serve: Any) -> Any:
    """A dashboard over 1500 runs of two suites, three outcomes and two planners."""
    for number in range(MANY):
        success = [True, False, None][number % 3]
        make_run(
            f"run_{number:04d}",
            events=None,
            manifest={
                "created": CREATED + number,
                "task": {
                    "instruction": f"put cube {number} on the pad",
                    "tag": "t",
                    "suite": ["first", "second"][number % 2],
                    "task": number % 10,
                    "seed": number,
                },
                "planner": {"name": ["scripted", "other"][number % 2], "config": {}},
                "outcome": {"reason": "finished", "benchmark_success": success},
                "usage": {"cost_usd": number / 100},
            },
        )
    return serve


def links(page: Page) -> list[str]:
    """What the runs on view are called."""
    return page.locator(".lib-link").all_inner_texts()


def eventually(page: Page, condition: str) -> None:
    """Wait until a condition holds in the page, whose policy forbids what Playwright's own waiting does."""
    for _ in range(150):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"It never came true: {condition}")


def settled(page: Page) -> None:
    """Wait until the list is what the address says."""
    eventually(page, "!document.querySelector('.library-table[aria-busy]')")


def wait_count(page: Page, text: str) -> None:
    """Wait until the list says how many there are."""
    page.get_by_role("status").filter(has_text=re.compile(f"^{text}$")).wait_for()


def test_filters_search_and_sorting_stay_in_the_address(many: Any, new_page: Any) -> None:
    page = new_page(many)
    wait_count(page, "1,500 runs")
    assert links(page)[0] == "put cube 1499 on the pad"
    page.get_by_label("All suites").select_option("second")
    wait_count(page, "750 runs")
    assert page.get_by_label("All outcomes").locator("option").all_inner_texts() == [
        "All outcomes",
        "Failure (250)",
        "Success (250)",
        "No verdict (250)",
    ]
    page.get_by_label("All outcomes").select_option("success")
    page.get_by_label("All tasks").select_option("3")
    wait_count(page, "50 runs")
    page.get_by_label("Search runs").fill("cube 3")
    eventually(page, "location.hash.includes('q=cube')")
    page.get_by_role("button", name="Cost").click()
    eventually(page, "location.hash.includes('sort=cost')")
    settled(page)
    shown = links(page)
    assert shown[0] == "put cube 1473 on the pad"
    page.reload()
    page.locator(".lib-link").first.wait_for()
    settled(page)
    assert links(page) == shown
    assert page.get_by_label("Search runs").input_value() == "cube 3"
    assert page.get_by_role("columnheader", name="Cost").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Clear filters").click()
    wait_count(page, "1,500 runs")
    assert page.problems == []


def test_the_keyboard_alone_finds_selects_compares_and_opens(many: Any, new_page: Any) -> None:
    fitting = f"{sum('12' in str(number) for number in range(MANY))} runs"
    page = new_page(many)
    wait_count(page, "1,500 runs")
    page.keyboard.press("/")
    page.keyboard.type("cube 12")
    eventually(page, "location.hash.includes('q=')")
    wait_count(page, fitting)
    page.keyboard.press("Enter")
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == links(page)[0]
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("x")
    assert page.locator(".lib-row.is-selected").count() == 2
    page.keyboard.press("c")
    page.wait_for_url("**/#/compare/**")
    page.get_by_role("heading", name="Compare").wait_for()
    page.go_back()
    wait_count(page, fitting)
    eventually(page, "document.activeElement.className === 'lib-link'")
    assert page.evaluate("document.activeElement.textContent") == links(page)[2]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/run/**")


def test_the_keyboard_goes_on_to_the_next_page(many: Any, new_page: Any) -> None:
    page = new_page(many)
    wait_count(page, "1,500 runs")
    page.locator(".lib-link").last.focus()
    page.keyboard.press("j")
    eventually(page, "document.activeElement.textContent === 'put cube 1449 on the pad'")
    page.keyboard.press("k")
    eventually(page, "document.activeElement.textContent === 'put cube 1450 on the pad'")


def test_a_click_on_a_row_opens_it_and_the_way_back_leads_there(many: Any, new_page: Any) -> None:
    page = new_page(many)
    wait_count(page, "1,500 runs")
    row = page.locator(".lib-row").nth(30)
    row.scroll_into_view_if_needed()
    scrolled = page.evaluate("scrollY")
    row.locator(".lib-outcome").click(position={"x": 2, "y": 2})
    page.wait_for_url("**/#/run/run_1469")
    page.go_back()
    wait_count(page, "1,500 runs")
    eventually(page, "document.activeElement.textContent === 'put cube 1469 on the pad'")
    assert abs(page.evaluate("scrollY") - scrolled) < 100


def test_a_new_run_appears_and_focus_and_selection_stay(
    many: Any, new_page: Any, make_run: Callable[..., Path]
) -> None:
    page = new_page(many)
    wait_count(page, "1,500 runs")
    row = page.locator(".lib-row").nth(5)
    row.get_by_role("checkbox").check()
    row.get_by_role("link").focus()
    node = page.evaluate_handle("document.activeElement")
    make_run("run_new", events=None, manifest={"created": CREATED + MANY, "outcome": None})
    wait_count(page, "1,501 runs")
    assert links(page)[0] == "put the red cube on the pad"
    assert page.locator(".lib-row").first.get_by_text("Interrupted").is_visible()
    assert node.evaluate("node => node === document.activeElement")
    assert page.locator(".lib-row").nth(6).get_by_role("checkbox").is_checked()


def test_a_damaged_run_and_text_like_markup_are_listed(
    serve: Any, new_page: Any, make_run: Callable[..., Path]
) -> None:
    make_run("broken", manifest=b"{")
    make_run("marked", manifest={"task": {"instruction": "<script>alert(1)</script>"}})
    page = new_page(serve)
    wait_count(page, "2 runs")
    assert page.get_by_text("`run.json` is damaged").is_visible()
    assert "<script>alert(1)</script>" in links(page)
    assert page.locator("main script, main img[src=x]").count() == 0
    assert page.problems == []


def test_an_empty_folder_says_what_to_do(serve: Any, new_page: Any, screenshot: Any) -> None:
    page = new_page(serve)
    page.get_by_role("heading", name="No runs yet").wait_for()
    assert page.get_by_text("rpent run").is_visible()
    screenshot(page, "library-empty")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(360, "zh-CN"), (1440, "en-US")])
def test_it_fits_and_can_be_read(
    serve: Any, look: Any, make_run: Any, screenshot: Any, *, theme: str, width: int, locale: str
) -> None:
    outcomes = [{"reason": "finished", "benchmark_success": True}, {"reason": "infrastructure"}, None]
    for number, outcome in enumerate(outcomes):
        make_run(f"20260922-12000{number}_dashboard_fake/run_{number}", manifest={"outcome": outcome})
    make_run("damaged", manifest=b"{")
    page = look(serve, width, theme, locale)
    page.locator(".lib-row").nth(3).wait_for()
    page.locator(".lib-row").first.get_by_role("checkbox").check()
    screenshot(page, f"library-{theme}-{width}-{locale}")
    look.check(page)


def test_a_list_of_many_is_a_page_of_few(many: Any) -> None:
    answer = json.loads(many.client.get("/api/runs?limit=50").text)
    assert (answer["total"], len(answer["runs"])) == (MANY, 50)
