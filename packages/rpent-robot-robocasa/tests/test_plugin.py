"""The distribution as a plugin: light, with specs that lead somewhere, and no simulator on the agent's side."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rpent.testing import PluginContract

HEAVY = ("mujoco", "robosuite", "robocasa", "torch", "scipy", "OpenGL")


class TestPlugin(PluginContract):
    distribution = "rpent-robot-robocasa"


@pytest.mark.parametrize(
    "modules",
    [
        "rpent_robot_robocasa.robot, rpent_robot_robocasa.toolkit, rpent_robot_robocasa.prompts",
        "rpent_robot_robocasa.choices, rpent_robot_robocasa.dashboard, rpent_robot_robocasa.config",
    ],
)
def test_the_agents_side_imports_no_simulator(modules: str) -> None:
    code = f"import sys, {modules}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
