"""The simulator-backed perceptor passes the contract of perceptors, on the pictures of a kitchen."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from rpent.perception import PerceptorContext
from rpent.testing import PerceptorContract
from rpent_robot_robocasa.perception import RobocasaPerceptor

pytestmark = pytest.mark.sim


class TestRobocasaPerceptor(PerceptorContract):
    camera = "agentview_right"
    prompt = "coffee machine"
    nothing: ClassVar = {"prompt": "giraffe"}
    least_score = 0.2

    @pytest.fixture
    def perceptor(self, coffee_env):
        return RobocasaPerceptor(PerceptorContext(channels={"env": coffee_env.channel}))

    @pytest.fixture
    def observation(self, coffee_env):
        return coffee_env.observe(cameras=["agentview_right", "wrist"], size=256)

    def test_a_part_lies_in_the_fixture_and_the_handle_in_the_drawer(self, perceptor, observation) -> None:
        for part, whole in (
            ("start button of the coffee machine", "coffee machine"),
            ("drawer handle", "drawer"),
        ):
            parts = perceptor.segment(observation, self.camera, prompt=part)
            wholes = perceptor.segment(observation, self.camera, prompt=whole)
            assert parts
            for found in parts:
                assert any(not np.any(found.mask & ~segment.mask) for segment in wholes)

    def test_the_wrist_sees_the_button_larger(self, perceptor, observation) -> None:
        def size(camera: str) -> int:
            found = perceptor.segment(observation, camera, prompt="the button on the coffee machine")
            return int(found[0].mask.sum())

        assert size("wrist") > 2 * size("agentview_right")
