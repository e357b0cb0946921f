"""LIBERO passes the contracts of robots and toolkits, over its real env server."""

from __future__ import annotations

from typing import ClassVar

import pytest
from rpent.testing import RobotContract, ToolkitContract

pytestmark = pytest.mark.sim

EPISODE = {"suite": "libero_object_swap", "task": 2, "seed": 0}
ACTION = ("move_to", {"xyz": [-0.1, 0.05, 0.25]})


class TestRobot(RobotContract):
    robot = "libero"
    config: ClassVar = EPISODE
    action = ACTION


class TestToolkit(ToolkitContract):
    robot = "libero"
    config: ClassVar = EPISODE
    action = ACTION
    long_action = ("move_to", {"xyz": [0.05, 0.25, 0.4]})
