"""The contract of all planners of a language model, over the three wires, with the real clients."""

from __future__ import annotations

from pathlib import Path

from rpent.testing.model_planner_contract import ModelPlannerContract
from rpent.testing.models import ModelServer
from rpent_planner_api.planner import ApiPlanner

from .stage import config


class TestOverMessages(ModelPlannerContract):
    def planner_over(self, server: ModelServer, tmp_path: Path) -> ApiPlanner:
        return ApiPlanner(config(server, "anthropic"))


class TestOverResponses(ModelPlannerContract):
    def planner_over(self, server: ModelServer, tmp_path: Path) -> ApiPlanner:
        return ApiPlanner(config(server, "openai"))


class TestOverChatCompletions(ModelPlannerContract):
    def planner_over(self, server: ModelServer, tmp_path: Path) -> ApiPlanner:
        return ApiPlanner(config(server, "openai-chat"))
