"""The session page: its queue of tasks, by form and by command, for everybody the same."""

from __future__ import annotations

import re

import pytest
from rpent.testing.fake_robot.robot import solution

pytestmark = pytest.mark.browser

SOLVED = {"calls": [[name, arguments] for name, arguments in solution()]}


def test_tasks_by_form_and_by_command_run_one_after_another(steer, screenshot):
    steered = steer("scripted", SOLVED)
    page = steered.page
    steered.effect("No task is running")
    assert page.get_by_role("button", name="Send").is_disabled()
    page.get_by_role("button", name="Queue task").click()
    steered.tasks.nth(0).wait_for()

    steered.text.press_sequentially("/rp")
    page.get_by_role("option", name="/rpent-task").wait_for()
    assert steered.text.get_attribute("aria-activedescendant") == "completion-0"
    page.keyboard.press("Tab")
    assert steered.text.input_value() == "/rpent-task "
    page.get_by_role("option", name="put the green cube on the pad").wait_for()
    screenshot(page, "session-completion")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert steered.text.input_value() == "/rpent-task 0 "
    page.keyboard.press("Escape")
    page.locator(".completion").wait_for(state="hidden")
    page.keyboard.press("Enter")
    steered.tasks.nth(1).wait_for()

    steered.task("success", 2)
    assert page.locator(".run-region-watch img").first.is_visible()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    screenshot(page, "session-done")
    page.keyboard.press("ArrowUp")
    assert steered.text.input_value() == "/rpent-task 0"
    assert page.problems == []


def test_a_reload_in_mid_run_loses_nothing_and_two_pages_see_the_same(steer, another):
    steered = steer("talker", {"motions": 100}, step_time_s=0.1)
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.task("running")
    page.locator(".run-row-call").nth(0).wait_for()
    steered.text.press_sequentially("half a sent")
    page.reload()
    steered.task("running")
    assert steered.text.input_value() == "half a sent"
    page.get_by_text("put the red cube on the pad").first.wait_for()
    page.locator(".run-row-call").nth(0).wait_for()

    other = another()
    other.write("/rpent-task 1")
    for each in (steered, other):
        each.task("queued")
        assert each.tasks.count() == 2
    steered.page.get_by_role("button", name="Withdraw").click()
    other.task("withdrawn")
    other.page.get_by_role("button", name="Stop “put the red cube on the pad”").click()
    other.page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    steered.task("interrupted")
    assert steered.page.problems == other.page.problems == []


def test_the_next_task_has_another_planner_and_model(steer):
    steered = steer("manual")
    page = steered.page
    page.locator(".session-next-planner summary").first.click()
    page.get_by_label("Planner", exact=True).select_option("talker")
    page.get_by_label("Model", exact=True).fill("local:some-model")
    page.get_by_label("Seed", exact=True).fill("3")
    page.get_by_role("button", name="Queue task").click()
    steered.effect("which is waiting for you")
    row = steered.tasks.first.inner_text()
    assert "talker · local:some-model" in row
    assert "fake_t0_s3" in row
    page.get_by_role("button", name=re.compile("^Stop")).click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name=re.compile("again")).click()
    steered.tasks.nth(1).wait_for()
    assert all("fake_t0_s3" in text for text in steered.tasks.all_inner_texts())


def test_what_the_server_refuses_stands_where_it_was_entered(steer):
    steered = steer("talker")
    page = steered.page
    steered.write("/rpent-task 7")
    page.get_by_role("alert").filter(has_text="7").wait_for()
    assert steered.text.input_value() == "/rpent-task 7"
    page.get_by_label("Task", exact=True).fill("7")
    page.get_by_role("button", name="Queue task").click()
    assert page.get_by_label("Task", exact=True).get_attribute("aria-invalid") == "true"
    assert steered.tasks.count() == 0


@pytest.mark.parametrize("one_session", [False, True])
def test_what_ends_with_a_session_is_said_before(steer, host, one_session):
    host.one_session = one_session
    page = steer("talker").page
    page.get_by_role("button", name="Close session").click()
    page.get_by_role("dialog").get_by_text("can be continued later").wait_for()
    assert (
        page.get_by_role("dialog").get_by_text("The command that opened it ends too").count() == one_session
    )


def test_a_server_that_is_gone_is_told_of_in_the_language_of_the_page(steer):
    steered = steer("talker", browser={"locale": "zh-CN"})
    page = steered.page
    page.route("**/api/session/tasks", lambda route: route.abort())
    page.get_by_role("button", name="加入队列").click()
    page.get_by_role("alert").filter(has_text="控制台没有响应").wait_for()


def test_a_task_that_cannot_be_run_says_so_whatever_is_looked_at(steer, host):
    steered = steer("talker")
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.effect("which is waiting for you")
    of_old = {"values": {"gone": 1}, "planner": "talker", "planner_config": {}, "label": "The cube of old"}
    host.session.note("queued", id="old", **of_old)
    page.get_by_role("button", name=re.compile("^Stop")).click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    steered.tab("Controls")
    page.locator(".toast", has_text="“The cube of old” could not be run").get_by_text(
        "no option gone"
    ).wait_for()
    page.reload()
    steered.text.wait_for()
    steered.task("failed")
    assert page.locator(".toast").count() == 0


def test_in_chinese_on_a_phone_everything_has_its_place(steer, screenshot):
    phone = {"locale": "zh-CN", "viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    steered = steer("talker", browser=phone)
    page = steered.page
    page.get_by_role("button", name="加入队列").click()
    steered.effect("会交给正在等待你的规划器")
    for name, panel in (("任务", "tasks"), ("操作", "controls"), ("运行", "run")):
        steered.tab(name)
        page.locator(f"#panel-{panel}").wait_for()
        screenshot(page, f"session-phone-{panel}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="关闭会话").click()
    screenshot(page, "session-phone-dialog")
    page.get_by_role("dialog").get_by_role("button", name="关闭会话").click()
    page.get_by_role("heading", name="没有打开的会话").wait_for(timeout=30_000)
    again = page.get_by_role("button", name=re.compile("继续"))
    again.wait_for()
    screenshot(page, "session-phone-none")
    again.click()
    steered.text.wait_for()
    steered.tab("任务")
    steered.task("interrupted")
    assert page.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(steer, scheme, screenshot, too_faint):
    look = {"color_scheme": scheme, "reduced_motion": "reduce", "viewport": {"width": 1500, "height": 900}}
    steered = steer("talker", browser=look)
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.effect("which is waiting for you")
    steered.text.press_sequentially("/rpent-task ")
    page.locator(".completion li").first.wait_for()
    assert too_faint(page) == []
    steered.text.press_sequentially("9")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.locator(".composer-problem").wait_for()
    steered.tab("Controls")
    page.locator("[data-tool=look] summary").click()
    page.locator("[data-tool=look]").get_by_role("button", name="Call").click()
    page.locator(".session-data").wait_for()
    screenshot(page, f"session-controls-{scheme}")
    assert too_faint(page) == []
    page.get_by_role("button", name="Close session").click()
    assert too_faint(page) == []
