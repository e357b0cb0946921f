"""The agent's side stays light: no simulator, no torch, no scipy."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("mujoco", "robosuite", "libero", "torch", "scipy", "OpenGL")


def test_robot_and_toolkit_import_no_simulator() -> None:
    code = (
        "import sys, rpent_robot_libero.robot, rpent_robot_libero.toolkit, rpent_robot_libero.prompts\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ground_truth_is_not_served_unless_the_run_asks_for_it() -> None:
    from rpent_robot_libero.config import LiberoConfig
    from rpent_robot_libero.robot import LiberoRobot

    assert LiberoRobot(LiberoConfig()).setup().service_configs["env"]["privileged"] is False
