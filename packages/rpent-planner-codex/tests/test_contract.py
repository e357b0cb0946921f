"""The distribution and its planner keep the contracts; the planner with the real Codex."""

from __future__ import annotations

import pytest
from rpent.testing import PlannerContract, PluginContract
from rpent.testing.models import Call, Reply


class TestPlugin(PluginContract):
    distribution = "rpent-planner-codex"


@pytest.mark.sdk
class TestCodexPlanner(PlannerContract):
    @pytest.fixture(autouse=True)
    def _server(self, serve, planner_for):
        self._serve, self._planner_for = serve, planner_for

    def planner(self, calls, tmp_path):
        script = [Reply(text=f"Next: {name}.", calls=[Call(name, arguments)]) for name, arguments in calls]
        return self._planner_for(self._serve(script))
