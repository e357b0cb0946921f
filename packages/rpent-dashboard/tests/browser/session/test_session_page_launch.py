"""The launch page in Chromium: a session is opened by form, or nothing starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr
from rpent.specs import PlannerSpec
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent_dashboard.hosting.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

KEEPER = "rpent_dashboard_launch_page_keeper"


class KeeperConfig(BaseModel):
    """Options of a planner that has a secret."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = None
    password: SecretStr | None = None


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host of the fake robot, with a planner that has a secret and one that is broken."""
    import sys

    monkeypatch.setitem(sys.modules, KEEPER, sys.modules[__name__])
    specs = fake_specs()
    for name, module in (("keeper", KEEPER), ("broken", "rpent_dashboard_no_such_module")):
        specs["planners"][name] = PlannerSpec(
            name=name,
            summary=f"Is {name}.",
            planner="rpent_dashboard.manual:ManualPlanner",
            config=f"{module}:KeeperConfig",
        )
    host = Host(tmp_path / "runs", registry=FakeRegistry(specs))
    yield host
    host.close(impatient=True)


@pytest.fixture
def launch(serve_with: Callable[..., Any], new_page: Callable[..., Any], host: Host) -> Any:
    """The launch page, the fake robot chosen; what it sends is in `sent`."""
    page = new_page(serve_with(hosted=host))
    page.sent = []
    page.on(
        "request",
        lambda request: page.sent.append(json.loads(request.post_data)) if request.method == "POST" else None,
    )
    page.goto(f"{page.url.partition('#')[0]}#/launch")
    page.get_by_role("combobox", name="Robot", exact=True).select_option("fake")
    return page


def choose(page: Any, kind: str, name: str) -> None:
    """Choose a plugin."""
    page.get_by_role("combobox", name=kind, exact=True).select_option(name)


def start(page: Any) -> None:
    """Press the button."""
    page.get_by_role("button", name="Start session").click()


def test_a_session_is_opened_and_the_choice_remembered_without_secrets(launch, screenshot):
    choose(launch, "Planner", "keeper")
    launch.get_by_label("Task", exact=True).click()
    launch.get_by_role("option", name="put the blue cube on the pad").click()
    launch.get_by_text("More options").last.click()
    launch.get_by_label("Password", exact=True).fill("hunter2")
    launch.locator("summary").filter(has_text="Limits").click()
    launch.get_by_label("Tool calls").fill("7")
    launch.evaluate("scrollTo(0, 0)")
    screenshot(launch, "launch", full_page=True)
    start(launch)
    launch.locator("#composer-text").wait_for()
    [body] = launch.sent
    assert (body["robot"], body["robot_config"], body["limits"]) == (
        "fake",
        {"task": 2},
        {"max_tool_calls": 7},
    )
    assert body["planner_config"] == {"password": "hunter2"}
    assert "hunter2" not in launch.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")
    assert launch.get_by_label("Task", exact=True).input_value() == "2"

    launch.goto(f"{launch.url.partition('#')[0]}#/launch")
    launch.get_by_text("A session with the robot fake is open.").wait_for()
    launch.get_by_role("link", name="Go to the session").click()
    launch.get_by_role("button", name="Close session").click()
    launch.get_by_role("dialog").get_by_role("button", name="Close session").click()
    launch.get_by_role("main").get_by_role("link", name="New session").click()
    launch.get_by_role("combobox", name="Planner", exact=True).wait_for()
    assert launch.get_by_role("combobox", name="Planner", exact=True).input_value() == "keeper"
    assert launch.get_by_label("Task", exact=True).input_value() == "2"
    assert launch.get_by_label("Tool calls").input_value() == "7"
    assert launch.problems == []


def test_a_bad_value_is_refused_at_its_field_before_anything_is_sent(launch):
    choose(launch, "Planner", "keeper")
    launch.get_by_label("Task", exact=True).fill("9")
    launch.locator("summary").filter(has_text="Limits").click()
    launch.get_by_label("Tool calls").fill("-1")
    start(launch)
    assert launch.get_by_label("Task", exact=True).get_attribute("aria-invalid") == "true"
    assert launch.get_by_label("Tool calls").get_attribute("aria-invalid") == "true"
    assert launch.sent == []


def test_what_the_server_refuses_stands_at_its_field(launch, host):
    choose(launch, "Planner", "scripted")
    launch.get_by_text("More options").first.click()
    launch.get_by_label("Max episode steps", exact=True).fill("50")
    launch.route(
        "**/api/session",
        lambda route: (
            route.fulfill(
                status=422,
                json={
                    "error": {
                        "message": "`50` is odd.",
                        "hint": "Take 60.",
                        "field": "robot_config.max_episode_steps",
                    }
                },
            )
            if route.request.method == "POST"
            else route.fallback()
        ),
    )
    start(launch)
    launch.get_by_text("50 is odd. Take 60.").wait_for()
    assert launch.get_by_label("Max episode steps", exact=True).get_attribute("aria-invalid") == "true"
    assert not host.is_open


def test_a_broken_plugin_says_what_is_wrong(launch, host, screenshot):
    choose(launch, "Planner", "broken")
    launch.get_by_text("rpent_dashboard_no_such_module").first.wait_for()
    start(launch)
    launch.get_by_role("alert").filter(has_text="rpent_dashboard_no_such_module").wait_for()
    screenshot(launch, "launch-broken", full_page=True)
    assert launch.sent == []
    assert not host.is_open


def test_a_double_click_opens_one_session(launch, host):
    choose(launch, "Planner", "manual")
    launch.get_by_role("button", name="Start session").dblclick()
    launch.locator("#composer-text").wait_for()
    assert len(launch.sent) == 1
    assert host.is_open


def test_a_dashboard_that_hosts_nothing_says_so(serve, new_page):
    page = new_page(serve)
    page.goto(f"{serve.url}/#/launch")
    page.get_by_text("starts none").wait_for()
    page.goto(f"{serve.url}/#/session")
    page.get_by_role("heading", name="No session is open").wait_for()
    assert page.get_by_role("main").get_by_role("link", name="New session").count() == 0
