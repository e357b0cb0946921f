"""The contract of all planners of a language model, with the real Claude Code."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.testing.model_planner_contract import ModelPlannerContract
from rpent.testing.models import ModelServer
from rpent_planner_claude_code.planner import ClaudeCodePlanner

from .stage import config

pytestmark = pytest.mark.sdk


class TestClaudeCode(ModelPlannerContract):
    def planner_over(self, server: ModelServer, tmp_path: Path) -> ClaudeCodePlanner:
        return ClaudeCodePlanner(config(server))
