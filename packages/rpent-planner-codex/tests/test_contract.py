"""The distribution and its planner keep the contracts; the planner with the real Codex."""

from __future__ import annotations

import pytest
from rpent.testing import ModelPlannerContract, PluginContract
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.planner import CodexPlanner


class TestPlugin(PluginContract):
    distribution = "rpent-planner-codex"


@pytest.mark.sdk
class TestCodexPlanner(ModelPlannerContract):
    @pytest.fixture(autouse=True)
    def _key(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")

    def planner_over(self, server, tmp_path):
        return CodexPlanner(CodexConfig(base_url=f"{server.url}/v1", model="test-model"))
