from __future__ import annotations

from typing import ClassVar

from rpent.testing import EnvContract
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.server import create


class TestFakeEnv(EnvContract):
    reachable: ClassVar = [0.1, 0.05, 0.2]

    @classmethod
    def facade(cls):
        return create(FakeEnvConfig())
