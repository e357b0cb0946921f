from __future__ import annotations

from typing import ClassVar

import pytest
from rpent.testing import EnvContract


@pytest.mark.sim
class TestLiberoEnv(EnvContract):
    reachable: ClassVar = [0.0, 0.1, 0.2]

    @classmethod
    def facade(cls):
        pytest.importorskip("libero")
        from rpent_robot_libero.config import EnvServerConfig
        from rpent_robot_libero.server.create import create

        return create(EnvServerConfig(suite="libero_object_swap", task=2))
