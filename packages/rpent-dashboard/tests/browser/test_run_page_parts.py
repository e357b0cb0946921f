"""What the run page shows beside the conversation: depth, services, budgets, files, notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.browser

WIDE = {"width": 1440, "height": 900}


def open_run(page: Any, served: Any, name: str, query: str = "") -> None:
    """Open a run's page."""
    page.goto(f"{served.url}/#/run/{name}{query}")
    page.wait_for_selector(".run-head")


def test_depth_has_a_range_and_pictures_keep_their_space(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.name, "?step=2")
    page.wait_for_function("() => document.querySelector('.run-view-image').naturalWidth > 0")
    before = page.locator(".run-view-stage").bounding_box()
    tile = page.get_by_role("radio", name="Depth")
    page.wait_for_function("(image) => image.naturalWidth > 0", arg=tile.locator("img").element_handle())
    tile.click()
    page.wait_for_selector("canvas.run-view-image:not([hidden])")
    legend = page.locator(".run-depth-legend").inner_text()
    assert "0.4" in legend
    assert "m" in legend
    assert page.locator(".run-view-stage").bounding_box() == before
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("canvas.run-view-image", state="hidden")
    assert page.problems == []


def test_the_log_of_a_service_is_read_when_it_is_opened(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.SyntheticRun(serve.output_dir / "growing", now=True)
    for _ in range(20):
        run.next_event()
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.path.name)
    page.locator(".run-service summary").click()
    page.wait_for_function("() => document.querySelector('.run-log').textContent.includes('line 299 of')")
    with (run.path / "logs" / "env.log").open("a") as log:
        log.write("<b>new line</b>\n")
    page.wait_for_function("() => document.querySelector('.run-log').textContent.includes('<b>new line</b>')")
    assert page.locator(".run-log b").count() == 0
    run.close()


def test_budgets_usage_and_files(serve: Any, new_page: Callable[..., Any], synthetic: Any) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.name)
    page.wait_for_selector(".run-budget")
    budgets = page.locator(".run-budget").all_inner_texts()
    assert any("/ 5,000" in text for text in budgets)
    assert any("$20.00" in text for text in budgets)
    assert "local/synthetic" in page.locator(".run-per-model").inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Events").click()
    assert download.value.suggested_filename == "done_events.jsonl"


@pytest.mark.parametrize("killed", [True, False])
def test_an_interrupted_run_says_how_it_goes_on(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path], *, killed: bool
) -> None:
    outcome = {"reason": "interrupted", "detail": "", "benchmark_success": None, "planner_status": None}
    call = {"type": "tool_called", "turn": 1, "call_id": "a", "name": "grasp", "arguments": {}}
    events: list[dict[str, Any]] = [{"seq": 0, "time": 1.0, **call}]
    if killed:
        run = make_run(manifest={"outcome": None, "finished": None}, events=events)
    else:
        ended = {"seq": 1, "time": 2.0, "type": "run_ended", "outcome": outcome}
        run = make_run(manifest={"outcome": outcome}, events=[*events, ended])
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.name)
    page.wait_for_function(
        "name => document.querySelector('.run-notices')?.textContent.includes(`rpent resume ${name}`)",
        arg=run.name,
    )
    page.wait_for_selector(".run-row-call.is-unfinished")
    assert "This call never returned." in page.locator(".run-row-call").inner_text()


def test_messages_of_the_user_are_shown_under_way_and_then_delivered(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]
) -> None:
    run = make_run(
        manifest={"outcome": None, "finished": None},
        events=[
            {"seq": 0, "time": 1.0, "type": "user_message", "text": "slowly", "origin": "user"},
            {"seq": 1, "time": 2.0, "type": "messages_delivered", "count": 1},
            {
                "seq": 2,
                "time": 3.0,
                "type": "user_message",
                "text": "stop",
                "origin": "user",
                "interrupt": True,
            },
        ],
    )
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.name)
    page.wait_for_function("() => document.querySelectorAll('.run-row-user').length === 2")
    first, second = page.locator(".run-row-user").all_inner_texts()
    assert "delivered" in first
    assert "on its way" in second
    assert "interrupts" in second


@pytest.mark.parametrize("damage", ["no_events", "no_manifest", "damaged_manifest", "no_pictures"])
def test_a_damaged_run_is_shown_as_far_as_possible(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path], damage: str
) -> None:
    changes: dict[str, dict[str, Any]] = {
        "no_events": {"events": None},
        "no_manifest": {"manifest": None},
        "damaged_manifest": {"manifest": b'{"robot": '},
        "no_pictures": {},
    }
    run = make_run(**changes[damage])
    if damage == "no_pictures":
        for picture in run.rglob("*.jpg"):
            picture.unlink()
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run.name)
    page.wait_for_selector(".run-notices .notice")
    if damage != "no_events":
        page.wait_for_selector(".run-row-call")
    assert page.problems == []


def test_events_with_the_wrong_types_do_not_stop_the_page(
    serve: Any, new_page: Callable[..., Any], make_run: Callable[..., Path]
) -> None:
    odd = [
        {"type": "run_started", "instruction": 5},
        {"type": "text", "text": {"not": "text"}},
        {"type": "thinking", "text": 7},
        {"type": "prompts", "system": None, "user": ["x"]},
        {"type": "tool_called", "call_id": ["a"], "name": None, "arguments": "none"},
        {
            "type": "tool_returned",
            "call_id": "b",
            "data": [1],
            "images": [None, {"path": 3}],
            "step": "first",
        },
        {"type": "step", "step": 0, "state": 3, "images": {"x": 1}, "depth": [None]},
        {"type": "frame", "call_id": "b", "image": "none"},
        {"type": "service", "service": None, "state": 4, "detail": {"a": 1}},
        {"type": "user_message", "text": None},
        {"type": "notice", "text": 3, "level": []},
        {"type": "usage", "cost_usd": "much", "model": 3},
        {"type": "run_resumed", "step": "x", "options": "none"},
        {"type": "session_ended", "detail": 4},
        {"type": "run_ended", "outcome": "good"},
        {"type": "text", "text": "the last word"},
    ]
    events = [
        {"seq": seq, "time": "now", "offset": "x", "size": "y", **event} for seq, event in enumerate(odd)
    ]
    run = make_run(events=events)
    page = new_page(serve, viewport={"width": 1440, "height": 2000})
    open_run(page, serve, run.name)
    page.wait_for_function(
        "() => document.querySelector('.run-conversation').innerText.includes('the last word')"
    )
    assert page.problems == []


def test_a_run_that_does_not_exist(serve: Any, new_page: Callable[..., Any]) -> None:
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, "nothing_here")
    page.wait_for_selector(".run-notices .notice-error")
    assert page.locator(".run-conversation").is_hidden()
