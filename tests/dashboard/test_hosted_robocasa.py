"""A kitchen in a session: a task is chosen and completed in the browser's form, a person drives, flash goes on."""

from __future__ import annotations

import os
import re

import pytest
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent_robot_robocasa.catalog import task_names
from rpent_robot_robocasa.testing.installed import require_simulator

from .processes import DashboardProcess

SERVE = ("--dashboard", "--dashboard-port", "0", "--no-video")
CAMERAS = ["agentview_left", "agentview_right", "wrist", "navview"]


def completed(rpent: DashboardProcess, text: str) -> list[dict[str, str]]:
    """What is offered at the end of a line."""
    answer = rpent.client.get("/api/session/complete", params={"text": text, "cursor": len(text)})
    return answer.json()["options"]


@pytest.mark.sim
def test_a_person_drives_and_presses(tmp_path):
    require_simulator()
    command = ("run", "--robot", "robocasa", "--planner", "manual", *SERVE)
    with DashboardProcess(*command, cwd=tmp_path, HOME=os.environ["HOME"]) as rpent:
        offered = completed(rpent, "/rpent-task StartCoff")
        assert "start coffee machine" in offered[0]["label"]
        assert len(completed(rpent, "/rpent-task ")) <= len(task_names())
        wrong = rpent.post("/tasks", {"command": "/rpent-task StartCoffe target 0"}, status=422)
        assert "StartCoffeeMachine" in str(wrong)
        rpent.post("/tasks", {"command": "/rpent-task StartCoffeeMachine target 0"})
        state = rpent.wait(lambda state: state["activity"] == "awaiting", 200)
        assert [frame["camera"] for frame in state["dashboard"]["frames"]] == CAMERAS
        for name, target in (
            ("navigate_to", "coffee machine"),
            ("press", "start button of the coffee machine"),
        ):
            done = rpent.post("/calls", {"name": name, "arguments": {"target": target}}, status=200)
            assert done["ok"], done
        run = tmp_path / "runs" / state["tasks"][0]["run"].replace("~", "/")
        events = list(read_events(run / "events.jsonl"))
        drove = next(
            event for event in events if isinstance(event, ev.ToolReturned) and event.name == "navigate_to"
        )
        assert "navview" in {view["name"] for view in drove.views}
        told = next(event for event in events if isinstance(event, ev.TaskStated))
        assert re.search("coffee machine", told.instruction)
        rpent.post(
            "/calls", {"name": "finish", "arguments": {"status": "success", "summary": "Served."}}, status=200
        )
        state = rpent.wait(lambda state: all(task["ended_at"] for task in state["tasks"]), 60)
        assert state["tasks"][0]["outcome"] == "success"


@pytest.mark.sim
@pytest.mark.browser
def test_flash_is_watched_while_it_drives(tmp_path, new_page, screenshot):
    require_simulator()
    task = ("--task-name", "NavigateKitchen", "--seed", "0")
    command = ("run", "--robot", "robocasa", *task, "--planner", "flash", *SERVE)
    with DashboardProcess(*command, cwd=tmp_path, HOME=os.environ["HOME"]) as rpent:
        page = new_page(rpent, viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(rpent.token_url.partition("?")[0] + "#/session")
        drives = page.get_by_role("radio", name=re.compile("Where it drives"))
        drives.click()
        picture = "document.querySelector('.run-region-watch .run-view-stage img')"
        page.wait_for_function(f"() => {picture}?.naturalWidth > 0")
        shown = page.evaluate(f"() => {picture}.getAttribute('src')")
        page.wait_for_function(f"before => {picture}?.getAttribute('src') !== before", arg=shown)
        assert page.locator(".run-view-caption").inner_text().startswith("Where it drives")
        screenshot(page, "robocasa-driving")
        page.get_by_text("Navigate to the").first.wait_for()
        assert page.problems == []
