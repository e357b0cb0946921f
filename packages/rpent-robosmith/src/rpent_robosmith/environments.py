"""The managed environment that RoboSmith's worker runs in: `rpent env sync robosmith`.

It holds every framework whose adapters and trainers come with this distribution, so that the agent's side needs none.
Plain pip can say the same with extras (`pip install "rpent-robosmith[sb3,contrib,box2d,robotics,video]"`).
"""

from __future__ import annotations

from importlib import import_module

from rpent.specs import EnvironmentSpec

TORCH_VERSION = "2.13.0"

ROBOSMITH = EnvironmentSpec(
    name="robosmith",
    python="3.11",
    requirements=(
        "gymnasium[box2d]>=1.1,<2",
        "gymnasium-robotics>=1.4,<2",
        "mujoco>=3.2,<3.9",
        "stable-baselines3>=2.7,<3",
        "sb3-contrib>=2.7,<3",
        "safetensors>=0.4.3",
        "numpy>=1.26,<3",
        "pillow>=10",
        "pyyaml>=6",
        "imageio>=2.30",
        "imageio-ffmpeg>=0.5",
        "h5py>=3.10",
        "pyarrow>=15",
        "onnxruntime>=1.17",
    ),
    torch=(f"torch=={TORCH_VERSION}",),
    lock="rpent_robosmith:locks/robosmith.txt",
    verify="import gymnasium, gymnasium_robotics, mujoco, stable_baselines3, sb3_contrib, h5py, pyarrow, onnxruntime",
    extra="sb3",
    probe="stable_baselines3",
)
"""Gymnasium with Box2D, MuJoCo and the robotics environments, Stable-Baselines3 with its contributed algorithms."""


def lerobot_environments() -> tuple[EnvironmentSpec, ...]:
    """Return LeRobot's environment where `rpent-policy-lerobot`, which brings it, is installed; else nothing."""
    try:
        found: EnvironmentSpec = import_module("rpent_policy_lerobot.environment").LEROBOT
    except ImportError:
        return ()
    return (found,)
