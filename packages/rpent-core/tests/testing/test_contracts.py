"""The contract classes, passed by the fakes and by the built-in planner."""

from __future__ import annotations

import json
from typing import ClassVar

from rpent.planners.replay import ReplayConfig, ReplayPlanner
from rpent.testing import PlannerContract, RobotContract, ToolkitContract
from rpent.testing.scripted_planner import ScriptConfig, ScriptedPlanner

ACTION = ("move_to", {"xyz": [0.1, 0.05, 0.2]})


class TestFakeRobot(RobotContract):
    robot = "fake"
    action = ACTION


class TestFakeToolkit(ToolkitContract):
    robot = "fake"
    config: ClassVar = {"step_time_s": 0.02, "max_episode_steps": 100_000}
    action = ACTION
    long_action = ("move_to", {"xyz": [-0.3, -0.3, 0.4], "max_steps": 500})


class TestScriptedPlanner(PlannerContract):
    def planner(self, calls, tmp_path):
        return ScriptedPlanner(ScriptConfig(calls=list(calls)))


class TestReplayPlanner(PlannerContract):
    def planner(self, calls, tmp_path):
        recipe = tmp_path / "recipe.jsonl"
        lines = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls]
        recipe.write_text("\n".join(lines))
        return ReplayPlanner(ReplayConfig(recipe=recipe))
