"""The simulator-backed perceptor passes the contract of perceptors, on LIBERO's own pictures."""

from __future__ import annotations

from typing import ClassVar

import pytest
from rpent.perception import PerceptorContext
from rpent.testing import PerceptorContract

pytestmark = pytest.mark.sim


class TestSimulatorPerceptor(PerceptorContract):
    camera = "agentview"
    prompt = "basket"
    nothing: ClassVar = {"prompt": "giraffe"}
    least_score = 0.2

    @pytest.fixture
    def perceptor(self, fresh):
        from rpent_robot_libero.perception import LiberoPerceptor

        return LiberoPerceptor(PerceptorContext(channels={"env": fresh.channel}))

    @pytest.fixture
    def observation(self, fresh):
        return fresh.observe(cameras=["agentview"], size=256)
