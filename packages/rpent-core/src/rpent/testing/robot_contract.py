"""The contract of a robot's agent side: options, task, prompts, and whole episodes over its real services."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from rpent.config import build_config
from rpent.memory.layout import checked_name
from rpent.run.execute import execute
from rpent.run.prompts import fill
from rpent.run.request import Explore, RunRequest
from rpent.run.resolve import resolve
from rpent.runs.directory import safe_name
from rpent.runs.events import read_events
from rpent.specs import load_object
from rpent.testing.dashboard_checks import check_choices, check_task_fields
from rpent.testing.registry import FakeRegistry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent.run.resolve import Registry, Resolved

SIMULATORS = ("mujoco", "robosuite", "libero", "torch", "transformers", "isaacgym", "sapien", "pybullet")


class RobotContract:
    """The tests of any robot. Subclass it and name the robot; mark the class where its simulator is heavy.

    Example::

        class TestMyBot(RobotContract):
            robot = "my-bot"
            action = ("move_to", {"xyz": [0.1, 0.0, 0.2]})
    """

    robot: ClassVar[str]
    config: ClassVar[Mapping[str, Any]] = {}
    """Option values of the robot."""
    action: ClassVar[tuple[str, Mapping[str, Any]]]
    """A tool call that moves the robot."""

    @classmethod
    def registry(cls) -> Registry:
        """Return where the robot comes from: what is installed, and the scripted planner."""
        return FakeRegistry()

    def request(self, tmp_path: Path, *calls: tuple[str, Any]) -> RunRequest:
        """Return a request for a scripted episode."""
        return RunRequest(
            robot=self.robot,
            robot_config=dict(self.config),
            planner="scripted",
            planner_config={
                "calls": [*calls, ("finish", {"status": "stuck", "summary": "The test is over."})]
            },
            output_dir=tmp_path / "runs",
            progress="quiet",
        )

    @pytest.fixture
    def resolved(self, tmp_path: Path) -> Resolved:
        """The robot, configured, with nothing started."""
        return resolve(self.request(tmp_path), self.registry())

    def test_options_are_described(self, resolved: Resolved) -> None:
        """Each option has a sentence for the help, and a default unless it is required."""
        model = load_object(resolved.robot_spec.config)
        for name, field in model.model_fields.items():
            assert field.description, f"`{name}` has no description"

    def test_the_task_is_complete(self, resolved: Resolved) -> None:
        """The task has an instruction, folder-safe names, and plain details."""
        setup = resolved.setup
        assert setup.instruction.strip()
        assert checked_name(setup.task, "task")
        assert checked_name(setup.family, "family")
        assert safe_name(setup.tag) == setup.tag
        json.dumps(dict(setup.details))

    def test_the_task_is_reproducible(self, resolved: Resolved) -> None:
        """The same options give the same task."""
        assert resolved.robot.setup() == resolved.setup

    def test_service_configurations_are_accepted(self, resolved: Resolved) -> None:
        """What `setup` says for a service is what its config model takes."""
        for spec, _ in resolved.services.values():
            if spec.name in resolved.setup.service_configs:
                values = resolved.setup.service_configs[spec.name]
                build_config(load_object(spec.config), values, what=f"service `{spec.name}`")

    def test_prompts_can_be_filled(self, resolved: Resolved) -> None:
        """The templates use only variables that exist, and stay short."""
        setup = resolved.setup
        variables = {
            "instruction": setup.instruction,
            "task": setup.tag,
            "seed": setup.seed,
            "max_turns": 10,
            "max_tool_calls": 10,
            **setup.prompt_variables,
        }
        prompts = fill(resolved.robot.prompts(), variables)
        assert setup.instruction in prompts.system + prompts.user
        assert len(prompts.system) < 20_000, "load long guidance when it is needed"

    def test_a_dashboard_can_choose_a_task(self, resolved: Resolved) -> None:
        """The robot's `DashboardSpec` names fields that exist, and offers values that the robot takes."""
        check_task_fields(resolved.robot_spec)
        check_choices(resolved.robot_spec, self.config)

    def test_the_agent_side_imports_no_simulator(self, resolved: Resolved) -> None:
        """Building the robot and importing its tools brings in no simulator."""
        program = (
            "import sys, rpent.specs as s\n"
            f"s.load_object({resolved.robot_spec.robot!r}); s.load_object({resolved.robot_spec.config!r})\n"
            f"found = set({SIMULATORS!r}) & set(sys.modules)\n"
            "sys.exit(f'imported on the agent side: {found}' if found else 0)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def test_an_episode_leaves_a_complete_record(self, tmp_path: Path) -> None:
        """One action over the real services: steps with pictures and a snapshot, and the outcome."""
        outcome = execute(self.request(tmp_path, self.action), registry=self.registry())
        assert outcome.reason == "finished", outcome.detail
        assert outcome.planner_status == "stuck"
        assert outcome.run_dir is not None
        events = list(read_events(outcome.run_dir / "events.jsonl"))
        returned = next(event for event in events if getattr(event, "call_id", None) and hasattr(event, "ok"))
        assert returned.ok, returned.data  # type: ignore[attr-defined]
        folder = outcome.run_dir / "steps" / "0001"
        names = {path.name for path in folder.iterdir()}
        assert {"state.json", "snapshot.bin"} <= names
        assert any(name.endswith(".jpg") for name in names)
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 1_000_000
        assert outcome.benchmark_success is not None

    def test_attempts_start_from_the_same_world(self, tmp_path: Path) -> None:
        """An exploring session puts the world back; a robot that cannot be reset says so before the planner starts."""
        again = ("next_attempt", {"status": "failure", "lesson": "None."})
        request = replace(
            self.request(tmp_path, self.action, again),
            explore=Explore(attempts=2),
            memory_dir=tmp_path / "memory",
        )
        outcome = execute(request, registry=self.registry())
        if "cannot be reset" in outcome.detail:
            pytest.skip("the robot cannot be reset: it is not for exploration")
        assert outcome.reason == "finished", outcome.detail
        assert outcome.run_dir is not None
        states = [_state(outcome.run_dir, step) for step in (0, 1, 2)]
        assert states[0] == states[2] != states[1]
        assert (outcome.run_dir / "attempts" / "01" / "recipe.jsonl").read_text().count("\n") == 1

    def test_mistakes_of_a_planner_are_replies(self, tmp_path: Path) -> None:
        """Unknown tools and wrong arguments end nothing, and show no path of the machine."""
        name, _ = self.action
        wrong = [("no_such_tool", {}), (name, {"no_such_argument": 1}), (name, "{not json")]
        outcome = execute(self.request(tmp_path, *wrong), registry=self.registry())
        assert outcome.reason == "finished", outcome.detail
        assert outcome.run_dir is not None
        text = (outcome.run_dir / "transcript.json").read_text()
        assert "Traceback" not in text


def _state(run_dir: Path, step: int) -> Any:
    return json.loads((run_dir / "steps" / f"{step:04d}" / "state.json").read_text())["state"]
