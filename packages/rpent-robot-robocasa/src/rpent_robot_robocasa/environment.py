"""What the RoboCasa365 simulator needs, as data: for `rpent env sync robocasa`.

`rpent-robocasa365` asks for robosuite by the name of a distribution that lacks what it needs;
`praxis-robosuite` has it, under the same import name. So the former is left out of the resolution, which plain pip
cannot say: there is no extra `[server]`. pynput, pytest and opencv-python serve teleoperation and tests.
"""

from __future__ import annotations

from rpent.specs import EnvironmentSpec

ROBOCASA_ENVIRONMENT = EnvironmentSpec(
    name="robocasa",
    python="3.11",
    requirements=(
        "rpent-robocasa365==1.0.1",
        "praxis-robosuite==1.5.2.post1",
        "mujoco>=3.9,<3.10",
        "opencv-python-headless",
    ),
    excludes=("robosuite", "pynput", "pytest", "opencv-python"),
    lock="rpent_robot_robocasa:locks/server.txt",
    verify="import mujoco, robosuite, robocasa",
    probe="robocasa",
    system_libraries=("libEGL.so.1", "libOSMesa.so.8"),
)
"""The lock pins them together with what the rpent distributions import."""
