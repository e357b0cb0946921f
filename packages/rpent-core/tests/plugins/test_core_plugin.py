"""Core's own plugins pass the contract that every plugin passes."""

from rpent.testing.plugin_contract import PluginContract


class TestCore(PluginContract):
    distribution = "rpent-core"
