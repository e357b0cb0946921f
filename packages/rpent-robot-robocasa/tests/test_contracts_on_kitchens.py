"""RoboCasa passes the contracts of robots and toolkits, over its real env server in its managed environment."""

from __future__ import annotations

from typing import ClassVar

import pytest
from rpent.testing import RobotContract, ToolkitContract
from rpent_robot_robocasa.testing.installed import require_simulator

pytestmark = pytest.mark.sim

EPISODE = {"task_name": "PickPlaceCounterToSink", "seed": 0}
ACTION = ("rotate_wrist", {"delta_yaw_rad": -0.4})  # wherever the robot stands


class TestRobot(RobotContract):
    robot = "robocasa"
    config: ClassVar = EPISODE
    action = ACTION

    @classmethod
    def setup_class(cls) -> None:
        require_simulator()


class TestToolkit(ToolkitContract):
    robot = "robocasa"
    config: ClassVar = EPISODE
    action = ACTION
    long_action = ("turn_base", {"angle_rad": 3.0})

    @classmethod
    def setup_class(cls) -> None:
        require_simulator()
        super().setup_class()
