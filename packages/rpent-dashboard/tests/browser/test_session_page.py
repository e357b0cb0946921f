"""The session page in Chromium: a real host with the fake robot, steered as a person would."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from rpent.specs import PlannerSpec
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent_dashboard.hosting.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rpent.session.session import Session

pytestmark = pytest.mark.browser

TALKER = "rpent_dashboard_session_page_talker"


class TalkerConfig(BaseModel):
    """Options of the planner below."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="Which model it claims to be.")
    motions: int = Field(0, ge=0, le=100, description="Motions before it waits for its user.")


class Talker:
    """Moves a while, then answers what its user writes; `solve` makes it solve the task."""

    def __init__(self, config: TalkerConfig) -> None:
        self.config = config

    def run(self, session: Session) -> None:
        """Follow the user."""
        for index in range(self.config.motions):
            session.begin_turn()
            if session.call("move_to", {"xyz": [0.1 * (-1) ** index, 0.1, 0.2]}).ended:
                return
            if session.interrupts:
                break
        while (text := session.nudge()) is not None:
            session.begin_turn()
            session.say(f"You wrote: {text}")
            if text.endswith("solve"):
                for name, arguments in solution():
                    session.call(name, arguments)
                return


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host of the fake robot, with a planner that a person can talk to."""
    monkeypatch.setitem(sys.modules, TALKER, sys.modules[__name__])
    specs = fake_specs()
    specs["planners"]["talker"] = PlannerSpec(
        name="talker", summary="Talks.", planner=f"{TALKER}:Talker", config=f"{TALKER}:TalkerConfig"
    )
    host = Host(tmp_path / "runs", registry=FakeRegistry(specs))
    yield host
    host.close(impatient=True)


@pytest.fixture
def served(serve_with: Callable[..., Any], host: Host) -> Any:
    """A dashboard over the host."""
    return serve_with(hosted=host)


class Steered:
    """A page of a session, and what a person does in it."""

    def __init__(self, page: Any, served: Any) -> None:
        self.page, self.served = page, served
        self.sent: list[tuple[str, str]] = []
        page.on("request", lambda request: self.sent.append((request.method, request.url)))
        page.goto(f"{served.url}/#/session")
        self.text = page.locator("#composer-text")
        self.tasks = page.locator(".session-task")
        self.text.wait_for()

    def write(self, text: str) -> None:
        """Type a message or a command and send it."""
        self.text.click()
        self.text.press_sequentially(text)
        self.page.keyboard.press("Enter")

    def tab(self, name: str) -> None:
        """Open one of the panels."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def task(self, state: str, count: int = 1) -> None:
        """Wait until so many tasks have a state."""
        badges = self.tasks.locator(f".badge[data-outcome={state}]")
        badges.nth(count - 1).wait_for(timeout=40_000)
        assert badges.count() == count

    def effect(self, text: str) -> None:
        """Wait until the composer says what would happen to a text."""
        self.page.locator(".composer-effect").get_by_text(text).wait_for(timeout=30_000)

    def posted(self, path: str) -> int:
        """How many requests to change something were sent to an address."""
        return sum(method != "GET" and url.endswith(path) for method, url in self.sent)

    def events(self) -> list[dict[str, Any]]:
        """The events of the session's last run."""
        key = self.served.client.get("/api/session").json()["session"]["tasks"][-1]["run"]
        log = self.served.output_dir / key.replace("~", "/") / "events.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture
def steer(served: Any, new_page: Callable[..., Any]) -> Callable[..., Steered]:
    """Open a session over the API, and its page: `steer("talker", {"motions": 3}, step_time_s=0.05)`."""

    def opened(
        planner: str = "talker",
        config: dict[str, Any] | None = None,
        browser: dict[str, Any] | None = None,
        **robot: Any,
    ) -> Steered:
        body = {"robot": "fake", "robot_config": robot, "planner": planner, "planner_config": config or {}}
        answer = served.client.post("/api/session", json={**body, "video": False})
        assert answer.status_code == 201, answer.text
        return Steered(new_page(served, **(browser or {})), served)

    return opened


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
    page.get_by_text("You wrote: look <b>left</b>").wait_for()
    assert steered.text.input_value() == ""
    assert page.problems == []


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
    tool.get_by_role("button", name="Call").click()
    tool.locator(".session-data").wait_for()
    assert '"ok": true' in tool.locator(".session-data").inner_text()
    assert [event["origin"] for event in steered.events() if event["type"] == "tool_called"][-1] == "user"

    tool.get_by_label("z", exact=True).fill("9")
    page.reload()
    steered.tab("Controls")
    assert page.locator("[data-tool=move_to]").get_by_label("z", exact=True).input_value() == "0.2"
    assert page.problems == []


def test_a_call_under_way_is_seen_and_interrupted_from_another_browser(steer, new_page, served):
    steered = steer("talker", step_time_s=0.5)
    steered.page.get_by_role("button", name="Queue task").click()
    other = Steered(new_page(served), served)
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
    assert '"reached"' not in tool.locator(".session-data").inner_text()
    other.page.get_by_text("The robot is yours").wait_for()


def test_finish_is_asked_about_first(steer):
    steered = steer("manual")
    page = steered.page
    page.get_by_role("button", name="Queue task").click()
    steered.tab("Controls")
    page.get_by_text("Call `finish` when the task is done").wait_for(timeout=30_000)
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


def test_a_reload_in_mid_run_loses_nothing_and_two_pages_see_the_same(steer, new_page, served):
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

    other = Steered(new_page(served), served)
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
    page.get_by_role("heading", name="实时会话").wait_for(timeout=30_000)
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
    steered = steer("talker", browser={"color_scheme": scheme, "viewport": {"width": 1500, "height": 900}})
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
