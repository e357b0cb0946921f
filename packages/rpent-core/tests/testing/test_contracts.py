"""The contract of planners, passed by the scripted one and by the built-in one."""

from __future__ import annotations

import json

from rpent.planners.replay import ReplayConfig, ReplayPlanner
from rpent.testing import PlannerContract
from rpent.testing.scripted_planner import ScriptConfig, ScriptedPlanner


class TestScriptedPlanner(PlannerContract):
    def planner(self, calls, tmp_path):
        return ScriptedPlanner(ScriptConfig(calls=list(calls)))


class TestReplayPlanner(PlannerContract):
    def planner(self, calls, tmp_path):
        recipe = tmp_path / "recipe.jsonl"
        lines = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls]
        recipe.write_text("\n".join(lines))
        return ReplayPlanner(ReplayConfig(recipe=recipe))
