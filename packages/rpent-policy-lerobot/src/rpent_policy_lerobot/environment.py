"""What LeRobot needs, as data: for `rpent env sync lerobot` and `rpent env sync lerobot-06`.

LeRobot's bounds on torch and torchvision are narrower than what it works with, so they are overridden. Its tools for
recording, training and real cameras and motors are left out where the policies do not import them.
"""

from __future__ import annotations

from rpent.specs import EnvironmentSpec
from rpent_torch.environments import TORCH_VERSION, TORCHVISION_VERSION

_TORCH = (f"torch=={TORCH_VERSION}", f"torchvision=={TORCHVISION_VERSION}")
_VERIFY = (
    "import rpent_torch.vision; rpent_torch.vision.install()\n"
    "import lerobot.policies.factory, lerobot.policies.act.modeling_act\n"
    "import lerobot.policies.diffusion.modeling_diffusion, lerobot.policies.smolvla.modeling_smolvla"
)

LEROBOT = EnvironmentSpec(
    name="lerobot",
    python="3.11",
    requirements=(
        "lerobot==0.4.4",
        "transformers>=4.57.1,<5",
        "huggingface-hub<0.36",
        "numpy>=2,<2.3",
        "num2words>=0.5.14",
        "safetensors>=0.4.3",
        "pillow>=10",
    ),
    torch=_TORCH,
    excludes=("wandb", "rerun-sdk", "torchcodec", "cmake", "pynput"),
    lock="rpent_policy_lerobot:locks/lerobot.txt",
    verify=_VERIFY,
    probe="lerobot",
)
"""LeRobot 0.4: ACT, diffusion, SmolVLA and others of that time, on Python 3.11. It has no working Pi0 and Pi0.5."""

LEROBOT_06 = EnvironmentSpec(
    name="lerobot-06",
    python="3.12",
    requirements=(
        "lerobot[smolvla,pi,diffusion]==0.6.1",
        "numpy>=2,<2.3",
        "safetensors>=0.4.3",
        "pillow>=10",
    ),
    torch=_TORCH,
    excludes=("cmake",),
    lock="rpent_policy_lerobot:locks/lerobot-06.txt",
    verify=_VERIFY + ", lerobot.policies.pi0.modeling_pi0, lerobot.policies.pi05.modeling_pi05",
    probe="lerobot",
)
"""LeRobot 0.6, with Pi0 and Pi0.5, on Python 3.12; it reads the checkpoints of LeRobot 0.4 too."""
