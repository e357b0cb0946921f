"""The distribution passes the contract of every plugin."""

from rpent.testing.plugin_contract import PluginContract


class TestTransportZmq(PluginContract):
    distribution = "rpent-transport-zmq"
