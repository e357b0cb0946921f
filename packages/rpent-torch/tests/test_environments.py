"""The environments, as data."""

from packaging.requirements import Requirement
from rpent_torch.environments import TORCH, TRANSFORMERS


def test_torch_is_not_among_the_locked_requirements():
    for spec in (TORCH, TRANSFORMERS):
        names = {Requirement(text).name for text in spec.requirements}
        assert not names & {"torch", "torchvision"}
        assert spec.torch[0].startswith("torch==")


def test_plugin_modules_stay_light():
    import subprocess
    import sys

    code = "import sys, rpent_torch.plugin, rpent_torch.environments; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
