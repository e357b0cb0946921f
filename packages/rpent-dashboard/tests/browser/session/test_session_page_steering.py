"""The session page: messages, interrupts, and the robot's tools by form."""

from __future__ import annotations

import re
import time

import pytest

pytestmark = pytest.mark.browser


def test_a_message_reaches_the_planner_and_an_interrupt_stops_the_motion(steer, screenshot):
    steered = steer("talker", {"motions": 100}, step_time_s=0.5)
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.task("running")
    steered.effect("with its next step")
    screenshot(page, "session-busy")
    page.locator(".run-row-call.is-running").first.wait_for()
    started = time.monotonic()
    steered.text.focus()
    page.keyboard.press("Escape")
    steered.effect("which is waiting for you")
    assert time.monotonic() - started < 2.0
    returned = [event for event in steered.events() if event["type"] == "tool_returned"]
    assert returned[-1]["data"].get("status") != "reached"

    steered.write("look <b>left</b>")
    page.locator(".run-list").get_by_text("You wrote: look <b>left</b>").wait_for()
    assert steered.text.input_value() == ""
    page.locator("h1").click()
    page.keyboard.press("c")
    page.get_by_text("The robot is yours").wait_for()
    page.keyboard.press("m")
    page.keyboard.type("and right")
    page.keyboard.press("Control+Enter")
    page.locator(".run-list").get_by_text("You wrote: and right").wait_for()
    assert page.problems == []


def test_a_message_waits_until_the_planner_takes_it(steer):
    steered = steer("talker", {"motions": 3}, step_time_s=0.2)
    steered.page.get_by_role("button", name="Queue task").click()
    steered.effect("with its next step")
    steered.write("then rest")
    steered.page.get_by_text("1 message waits for the planner").wait_for()
    steered.page.locator(".run-list").get_by_text("You wrote: then rest").wait_for(timeout=30_000)
    steered.page.locator(".composer-pending:empty").wait_for(state="attached")


def test_a_primitive_by_form_and_a_bad_value_is_refused_at_its_field(steer, screenshot):
    steered = steer("talker", {"motions": 2}, step_time_s=0.2)
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.tab("Controls")
    tool = page.locator("[data-tool=move_to]")
    tool.locator("summary").click()
    page.get_by_text("holds the robot").wait_for()
    assert tool.get_by_role("button", name="Call").is_disabled()
    page.get_by_text("The robot is yours").wait_for(timeout=30_000)

    for axis, value in (("x", "0.1"), ("y", "0.2"), ("z", "high")):
        tool.get_by_label(axis, exact=True).fill(value)
    tool.get_by_role("button", name="Call").click()
    assert tool.get_by_label("z", exact=True).get_attribute("aria-invalid") == "true"
    assert tool.locator(".field-error:not(:empty)").count() == 1
    screenshot(page, "session-refused")
    assert steered.posted("/calls") == 0

    tool.get_by_label("z", exact=True).fill("0.2")
    refusal = {"error": {"message": "`z` is below the table.", "hint": "Stay above 0.", "field": "xyz"}}
    page.route("**/api/session/calls", lambda route: route.fulfill(status=422, json=refusal))
    tool.get_by_role("button", name="Call").click()
    tool.locator(".field-error").get_by_text("z is below the table. Stay above 0.").wait_for()
    page.unroute("**/api/session/calls")
    tool.get_by_role("button", name="Call").click()
    tool.locator(".session-data").wait_for()
    assert "ok: true" in tool.locator(".session-data").inner_text()
    assert [event["origin"] for event in steered.events() if event["type"] == "tool_called"][-1] == "user"

    tool.get_by_label("z", exact=True).fill("9")
    page.reload()
    steered.tab("Controls")
    assert page.locator("[data-tool=move_to]").get_by_label("z", exact=True).input_value() == "0.2"
    assert page.problems == []


def test_a_call_under_way_is_seen_and_interrupted_from_another_browser(steer, another):
    steered = steer("talker", step_time_s=0.5)
    steered.page.get_by_role("button", name="Queue task").click()
    other = another()
    for each in (steered, other):
        each.tab("Controls")
        each.page.get_by_text("The robot is yours").wait_for(timeout=30_000)
        assert each.page.get_by_role("button", name="Interrupt").is_disabled()
    tool = steered.page.locator("[data-tool=move_to]")
    tool.locator("summary").click()
    for axis in "xyz":
        tool.get_by_label(axis, exact=True).fill("0.3")
    tool.get_by_role("button", name="Call").click()
    other.page.get_by_text("A call is under way").wait_for()
    other.page.get_by_role("button", name="Interrupt").click()
    tool.locator(".session-data").wait_for(timeout=5000)
    assert "reached" not in tool.locator(".session-data").inner_text()
    other.page.get_by_text("The robot is yours").wait_for()


def test_finish_is_asked_about_first(steer):
    steered = steer("manual")
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.tab("Controls")
    page.get_by_text("Call “finish” when the task is done").wait_for(timeout=30_000)
    tool = page.locator("[data-tool=finish]")
    tool.locator("summary").click()
    tool.get_by_label(re.compile("Status")).select_option("failure")
    tool.get_by_label(re.compile("Summary")).fill("Nothing to see here.")
    tool.get_by_role("button", name="Call").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert steered.posted("/calls") == 0
    tool.get_by_role("button", name="Call").click()
    page.get_by_role("dialog").get_by_role("button", name="Finish").click()
    steered.tab("Tasks")
    steered.task("failure")


def test_a_planner_without_conversation_says_so(steer):
    steered = steer("scripted", {"calls": [["move_to", {"xyz": [0.3, 0.3, 0.3]}]] * 50}, step_time_s=0.1)
    steered.page.get_by_role("button", name="Queue task").click()
    steered.task("running")
    steered.text.press_sequentially("hello")
    steered.effect("The planner scripted takes no messages.")
    assert steered.page.get_by_role("button", name="Send").is_disabled()
    steered.page.keyboard.press("Enter")
    assert steered.posted("/messages") == 0
    assert steered.text.input_value() == "hello"
