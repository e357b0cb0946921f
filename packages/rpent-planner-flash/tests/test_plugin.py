"""The distribution passes the contract of every plugin."""

from rpent.testing.plugin_contract import PluginContract


class TestPlannerFlash(PluginContract):
    distribution = "rpent-planner-flash"
