from __future__ import annotations

from rpent.testing import PluginContract


class TestPlugin(PluginContract):
    distribution = "rpent-policy-bc"
