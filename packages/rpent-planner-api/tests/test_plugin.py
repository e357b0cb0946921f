"""The distribution passes the contract of every plugin."""

from rpent.testing.plugin_contract import PluginContract


class TestPlannerApi(PluginContract):
    distribution = "rpent-planner-api"
