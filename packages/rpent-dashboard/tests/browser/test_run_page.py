"""The run page in Chromium, over real run directories and the real server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.browser

WIDE = {"width": 1440, "height": 900}
HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def call(number: int, **returned: Any) -> list[dict[str, Any]]:
    """The two events of a call."""
    head = {"call_id": f"c{number}", "name": returned.pop("name", "grasp")}
    arguments = returned.pop("arguments", {"target": "cube"})
    done = {"ok": True, "data": {"ok": True}, "text": "", "env_steps": number * 10, "elapsed_s": 1.0}
    return [
        {"type": "tool_called", "turn": 1, **head, "arguments": arguments},
        {"type": "tool_returned", **head, **done, **returned},
    ]


def numbered(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number and stamp events as the recorder does."""
    return [{"seq": seq, "time": 1_790_000_000.0 + seq, **event} for seq, event in enumerate(events)]


STARTED = {
    "type": "run_started",
    "robot": "fake",
    "planner": "api",
    "instruction": "move the cube",
    "tag": "t",
    "seed": 0,
}
ENDED = {
    "type": "run_ended",
    "outcome": {
        "benchmark_success": True,
        "planner_status": "success",
        "reason": "finished",
        "detail": "Done.",
    },
}


def open_run(page: Any, served: Any, run: Path, query: str = "") -> None:
    """Open a run's page and wait for its conversation."""
    page.goto(f"{served.url}/#/run/{run.name}{query}")
    page.wait_for_selector(".run-row", state="attached")


def test_a_growing_run_is_followed_with_its_pictures(
    serve: Any, new_page: Callable[..., Any], synthetic: Any, screenshot: Callable[..., Path]
) -> None:
    run = synthetic.SyntheticRun(serve.output_dir / "growing", now=True)
    for _ in range(40):
        run.next_event()
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.path)
    page.wait_for_function("() => document.querySelector('.run-view-image').naturalWidth === 256")
    assert "▶" in page.title()
    for _ in range(400):
        run.next_event()
    page.wait_for_function(
        "step => document.querySelector('.run-place').textContent.startsWith(`Step ${step} `)", arg=run.step
    )
    page.wait_for_function(
        "turn => [...document.querySelectorAll('.run-turn')].some((n) => n.textContent === `Turn ${turn}`)",
        arg=run.turn,
    )
    assert page.locator(".run-row").count() <= 80
    screenshot(page, "run_live")
    run.finish()
    page.wait_for_selector(".run-verdict")
    assert page.title().startswith("✓ Pick the salad dressing")
    assert page.problems == []


def test_the_view_follows_the_frames_of_a_call_under_way(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.SyntheticRun(serve.output_dir / "growing", now=True)
    page = new_page(serve, viewport=WIDE)
    page.goto(f"{serve.url}/#/run/growing")
    frame = until(run, "frame")
    page.wait_for_function(
        "path => document.querySelector('.run-view-image')?.src.endsWith(path)", arg=frame["image"]["path"]
    )
    assert "▶" in page.locator(".run-now").inner_text()
    done = until(run, "tool_returned")
    page.wait_for_function(
        "path => document.querySelector('.run-view-image').src.endsWith(path)", arg=done["images"][0]["path"]
    )
    run.close()


def until(run: Any, kind: str) -> dict[str, Any]:
    """Write events up to one of a type."""
    while (event := run.next_event())["type"] != kind:
        pass
    written: dict[str, Any] = event
    return written


@pytest.mark.parametrize("way", ["wheel", "ArrowUp", "PageUp"])
def test_who_scrolled_up_stays_there_and_is_told_what_is_new(
    serve: Any, new_page: Callable[..., Any], synthetic: Any, way: str
) -> None:
    run = synthetic.SyntheticRun(serve.output_dir / "growing", now=True)
    for _ in range(200):
        run.next_event()
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.path)
    page.wait_for_selector(".run-row-call")
    page.locator(".run-scroller").focus()
    page.locator(".run-scroller").hover()
    if way == "wheel":
        page.mouse.wheel(0, -3000)
    else:
        page.keyboard.press(way)
    page.wait_for_selector(".run-jump:not([hidden])")
    page.wait_for_timeout(300)
    before = top_row(page)
    for _ in range(100):
        run.next_event()
    page.wait_for_function("() => /^[0-9]+ new/.test(document.querySelector('.run-jump').textContent)")
    assert top_row(page) == before
    page.locator(".run-jump").click()
    page.wait_for_selector(".run-jump[hidden]", state="attached")
    below = page.evaluate(
        """() => {
          const list = document.querySelector('.run-scroller');
          return list.scrollHeight - list.scrollTop - list.clientHeight;
        }"""
    )
    assert below < 60
    run.close()


def top_row(page: Any) -> tuple[str, int]:
    """The row at the top of the view, and where it is."""
    found = page.evaluate(
        """() => {
          const top = document.querySelector('.run-scroller').getBoundingClientRect().top;
          const row = [...document.querySelectorAll('.run-row')].find((n) => n.getBoundingClientRect().bottom > top);
          return [row.dataset.item, Math.round(row.getBoundingClientRect().top)];
        }"""
    )
    return found[0], found[1]


def test_ten_thousand_events_open_with_few_rows_in_the_document(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.write_run(serve.output_dir / "long", 10_000)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    assert page.locator(".run-row").count() <= 80
    for place in (0.1, 0.5, 0.9):
        page.evaluate(
            "at => { const s = document.querySelector('.run-scroller'); s.scrollTop = s.scrollHeight * at }",
            place,
        )
        page.wait_for_timeout(200)
        assert page.locator(".run-row").count() in range(1, 81)
    last = page.locator(".run-range").get_attribute("max")
    assert int(last or 0) > 1000
    assert page.problems == []


def test_filter_and_search(serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]) -> None:
    events = [
        STARTED,
        {"type": "turn", "turn": 1},
        {"type": "text", "turn": 1, "text": "I look for the needle."},
    ]
    for number in range(60):
        events += call(number)
    events += call(99, ok=False, data={"error": "The gripper is stuck."})
    run = make_run(events=numbered([*events, ENDED]))
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    page.get_by_role("button", name="Problems").click()
    page.wait_for_function("() => document.querySelectorAll('.run-row').length === 1")
    assert "The gripper is stuck." in page.locator(".run-row").inner_text()
    page.get_by_role("button", name="Messages").click()
    page.wait_for_selector(".run-row-text")
    assert page.locator(".run-row-call").count() == 0
    page.get_by_role("button", name="All", exact=True).click()
    page.locator(".run-scroller").focus()
    page.keyboard.press("/")
    page.keyboard.type("needle")
    page.wait_for_function("() => document.querySelector('.run-found').textContent.startsWith('1 ')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".run-row.is-current.run-row-text")


def test_text_of_models_and_tools_is_never_html(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]
) -> None:
    events = [
        {**STARTED, "instruction": HOSTILE},
        {"type": "thinking", "turn": 1, "text": HOSTILE},
        {
            "type": "text",
            "turn": 1,
            "text": f"**{HOSTILE}**\n\n- {HOSTILE}\n\n| a |\n|---|\n| {HOSTILE} |\n\n```\n{HOSTILE}\n```",
        },
        *call(
            1,
            name=HOSTILE,
            arguments={HOSTILE: HOSTILE},
            data={"ok": True, HOSTILE: HOSTILE, "notices": [HOSTILE]},
        ),
        {"type": "notice", "text": HOSTILE, "level": HOSTILE},
        {"type": "service", "service": HOSTILE, "state": HOSTILE, "detail": HOSTILE},
        {"type": "user_message", "text": HOSTILE},
        {"type": HOSTILE, "x": HOSTILE},
    ]
    run = make_run(events=numbered([*events, ENDED]))
    page = new_page(serve, viewport={"width": 1440, "height": 2400})
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    for summary in page.locator(".run-conversation summary").all():
        summary.click()
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#app script, #app img[src='x']").count() == 0
    assert page.locator(".run-text strong").first.inner_text() == HOSTILE
    assert page.problems == []


def test_broken_and_unknown_lines_are_shown_with_a_notice(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]
) -> None:
    tail = (
        b'{"seq": 3, "type": "te\n'
        + json.dumps({"seq": 4, "time": 1.0, "type": "hologram", "x": 1}).encode()
        + b"\n"
    )
    run = make_run(events=numbered([STARTED, *call(1)]), lines=tail)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_function("() => document.querySelectorAll('.run-notices .notice').length >= 2")
    text = page.locator(".run-conversation").inner_text()
    assert "Line 4 of the event log cannot be read." in text
    assert "hologram" in text
    assert page.problems == []


def test_what_the_stream_cut_can_be_seen_whole(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]
) -> None:
    long = "word " * 6000 + "the very end"
    run = make_run(events=numbered([STARTED, {"type": "text", "turn": 1, "text": long}, ENDED]))
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(
        "() => document.querySelector('.run-row-text .run-text').textContent.endsWith('the very end')"
    )


def test_the_page_in_chinese_dark_and_on_a_phone(
    serve: Any,
    new_page: Callable[..., Any],
    synthetic: Any,
    screenshot: Callable[..., Path],
    too_faint: Callable[[Any], list[str]],
) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 900)
    looks = {
        "run": {"viewport": WIDE, "color_scheme": "light"},
        "run_dark_zh": {"viewport": WIDE, "color_scheme": "dark", "locale": "zh-CN"},
        "run_phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light"},
    }
    for name, options in looks.items():
        page = new_page(serve, **options)
        open_run(page, serve, run, "?step=9")
        page.wait_for_function("() => document.querySelector('.run-view-image').naturalWidth > 0")
        page.wait_for_timeout(300)
        assert too_faint(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        screenshot(page, name)
        if name == "run_phone":
            page.get_by_role("tab", name="Conversation").click()
            page.wait_for_selector(".run-row.is-current")
            assert too_faint(page) == []
            screenshot(page, "run_phone_conversation")
        if name == "run_dark_zh":
            assert (
                "对话" in page.locator(".run").inner_text() or page.locator("[aria-label=对话]").count() > 0
            )
