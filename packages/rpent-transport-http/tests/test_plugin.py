"""The distribution passes the contract of every plugin."""

from rpent.testing.plugin_contract import PluginContract


class TestTransportHttp(PluginContract):
    distribution = "rpent-transport-http"
