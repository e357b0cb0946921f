"""A real host with the fake robot, and the session page in Chromium, used as a person would."""

from __future__ import annotations

import json
import sys
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


@pytest.fixture
def another(served: Any, new_page: Callable[..., Any]) -> Callable[[], Steered]:
    """Open the same session in another browser."""
    return lambda: Steered(new_page(served), served)
