"""The contract of all planners, over the three wires, with the real clients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rpent.testing.models import Call, Reply
from rpent.testing.planner_contract import PlannerContract
from rpent_planner_api.planner import ApiPlanner

from .stage import Stage, config


class _Over(PlannerContract):
    provider = ""

    @pytest.fixture(autouse=True)
    def _stage(self, stage: Stage) -> None:
        self.stage = stage

    def planner(self, calls: Sequence[tuple[str, Any]], tmp_path: Path) -> ApiPlanner:
        server = self.stage.serve([Reply(calls=[Call(name, arguments)]) for name, arguments in calls])
        return ApiPlanner(config(server, self.provider))


class TestOverMessages(_Over):
    provider = "anthropic"


class TestOverResponses(_Over):
    provider = "openai"


class TestOverChatCompletions(_Over):
    provider = "openai-chat"
