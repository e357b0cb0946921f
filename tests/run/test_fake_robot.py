"""The contract classes of robots and toolkits, passed by the fake robot over its served env."""

from __future__ import annotations

from typing import ClassVar

from rpent.testing import RobotContract, ToolkitContract

ACTION = ("move_to", {"xyz": [0.1, 0.05, 0.2]})


class TestFakeRobot(RobotContract):
    robot = "fake"
    action = ACTION


class TestFakeToolkit(ToolkitContract):
    robot = "fake"
    config: ClassVar = {"step_time_s": 0.02, "max_episode_steps": 100_000}
    action = ACTION
    long_action = ("move_to", {"xyz": [-0.3, -0.3, 0.4], "max_steps": 500})
