"""Moving through a run: slider, links, keys, clips, timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.browser

WIDE = {"width": 1440, "height": 900}


def open_run(page: Any, served: Any, run: Path, query: str = "") -> None:
    """Open a finished run's page and wait for its conversation."""
    page.goto(f"{served.url}/#/run/{run.name}{query}")
    page.wait_for_selector(".run-row")


def test_steps_can_be_scrubbed_and_linked_to(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    page.locator(".run-range").focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => location.hash.endsWith('?step=0')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.endsWith('?step=1')")
    page.wait_for_function(
        "() => document.querySelector('.run-view-image').src.endsWith('steps/0001/agentview.jpg')"
    )
    assert "Step 1" in page.locator(".run-row.is-current").inner_text()
    linked = new_page(serve, viewport=WIDE)
    open_run(linked, serve, run, "?step=7")
    linked.wait_for_function(
        "() => document.querySelector('.run-view-image').src.endsWith('steps/0007/agentview.jpg')"
    )
    assert "Step 7" in linked.locator(".run-row.is-current").inner_text()


def test_keys_move_between_calls(serve: Any, new_page: Callable[..., Any], synthetic: Any) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    page.locator(".run-scroller").focus()
    page.keyboard.press("k")
    page.wait_for_selector(".run-row.is-current")
    first = page.locator(".run-row.is-current").get_attribute("data-item")
    page.keyboard.press("k")
    page.wait_for_function(
        "item => document.querySelector('.run-row.is-current')?.dataset.item !== item", arg=first
    )
    page.keyboard.press("j")
    page.wait_for_function(
        "item => document.querySelector('.run-row.is-current')?.dataset.item === item", arg=first
    )
    page.keyboard.press(".")
    page.wait_for_function("() => !location.hash.includes('step=')")


def test_a_clip_plays_and_gives_the_picture_back(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run, "?step=3")
    page.wait_for_function(
        "() => document.querySelector('.run-view-image').src.endsWith('steps/0003/agentview.jpg')"
    )
    page.evaluate(
        """() => {
          window.seen = [];
          const image = document.querySelector('.run-view-image');
          new MutationObserver(() => window.seen.push(image.src)).observe(image, { attributeFilter: ['src'] });
        }"""
    )
    page.locator(".run-scroller").focus()
    page.keyboard.press(" ")
    page.wait_for_function("() => window.seen.length > 1 && window.seen.at(-1).includes('steps/0003')")
    assert [address for address in page.evaluate("window.seen") if "/clips/" in address]


def test_a_bar_of_the_timeline_selects_its_call(
    serve: Any, new_page: Callable[..., Any], synthetic: Any
) -> None:
    run = synthetic.write_run(serve.output_dir / "done", 300)
    page = new_page(serve, viewport=WIDE)
    open_run(page, serve, run)
    page.wait_for_selector(".run-verdict")
    chosen = []
    for left in (20, 200, 400):
        page.locator(".run-timeline-canvas").click(position={"x": left, "y": 50})
        page.wait_for_selector(".run-row-call.is-current")
        chosen.append(int(page.locator(".run-row.is-current").get_attribute("data-item")))
    assert chosen == sorted(set(chosen))
    page.get_by_role("button", name="Control steps").click()
    assert "calls" in page.locator(".run-timeline-canvas").get_attribute("aria-label")
