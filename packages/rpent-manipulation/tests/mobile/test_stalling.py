"""An arm that is blocked is noticed, also where it swings against what blocks it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation import rotations
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until


def _run(episode: Any, call: Any, **turned: float) -> dict[str, Any]:
    goal = episode.arm.position + np.array([0.3, 0.0, 0.0])
    targets = parse_targets([{"position": goal.tolist(), **turned}], episode.workspace)
    return Servo(episode, targets, parse_until({"max_steps": 400, "stall_steps": 12}), call).run()


def test_an_arm_that_slips_back_again_and_again_is_blocked(make_episode: Any, make_call: Any) -> None:
    """Place and turn each creep nearer for 30 steps and slip back, by turns: one of them always seems to get on."""

    class Slipping(make_episode):  # type: ignore[misc]
        def move(self, offset_m: NDArray[np.float64], turn_rad: NDArray[np.float64], gripper: float) -> None:
            self.steps += 1
            self.arm.position = np.array([0.35 + 0.001 * (self.steps % 30), 0.0, 1.2])
            self.arm.rotation = rotations.from_yaw(0.01 * ((self.steps + 15) % 30)) @ np.diag(
                [1.0, -1.0, -1.0]
            )

    result = _run(Slipping(), make_call(), yaw=1.0)
    assert result["status"] == "stalled"
    assert result["steps"] < 100


def test_an_arm_that_gets_there_is_not(make_episode: Any, make_call: Any) -> None:
    result = _run(make_episode(), make_call())
    assert result["status"] == "reached"
    assert result["position_error_m"] == pytest.approx(0.0, abs=0.01)
