"""The distribution passes the contract of every plugin."""

from rpent.testing.plugin_contract import PluginContract


class TestPlannerClaudeCode(PluginContract):
    distribution = "rpent-planner-claude-code"
