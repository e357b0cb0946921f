"""Installing PyTorch: its builds differ by machine, and most of them are not on the package index.

Where it comes from: a folder of wheels that has it (`--find-links`, `UV_FIND_LINKS`), else PyTorch's own index with
the build that was chosen or fits the machine, else the configured package index, whose Linux build is for CUDA.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.environments.uv import ask_uv, run_uv
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.environments.choices import BuildChoices

INDEX = "https://download.pytorch.org/whl/cpu/"
BACKEND_VARIABLE = "UV_TORCH_BACKEND"
FAMILY = ("torch", "torchvision", "torchaudio", "triton", "pytorch-triton", "pytorch-triton-rocm")

_REACH_TIMEOUT_S = 5.0
_GPU_DEVICES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/kfd", "/usr/lib/wsl/lib/libcuda.so")
_CUDA_PARTS = ("nvidia-", "cuda-")


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """The torch that an environment holds."""

    version: str
    """`2.13.0+cpu`."""
    accelerator: str
    """`CUDA 13.0`, `ROCm 7.1`, or empty: it computes on the CPU (or Apple's GPU) only."""

    def __str__(self) -> str:
        return f"torch {self.version} ({self.accelerator or 'CPU build'})"


def is_torch_part(name: str) -> bool:
    """Whether a distribution belongs to PyTorch or to one of its builds, and so into no lock."""
    return name in FAMILY or name.startswith(_CUDA_PARTS)


def has_gpu() -> bool:
    """Whether this machine shows a GPU of NVIDIA or AMD."""
    return any(Path(place).exists() for place in _GPU_DEVICES)


def build_in(venv: Path) -> TorchBuild | None:
    """Return which torch an environment holds, without starting it; None when it holds none."""
    for file in venv.glob("lib/python*/site-packages/torch/version.py"):
        found = dict(re.findall(r"^(\w+)(?:\s*:[^=]+)?\s*=\s*'([^']*)'", file.read_text(), re.MULTILINE))
        accelerator = f"CUDA {found['cuda']}" if found.get("cuda") else ""
        accelerator = accelerator or (f"ROCm {found['hip']}" if found.get("hip") else "")
        return TorchBuild(found.get("__version__", "of an unknown version"), accelerator)
    return None


def install_torch(
    requirements: Sequence[str],
    *,
    python: str,
    choices: BuildChoices,
    versions: str | None,
    say: Callable[[str], None],
) -> None:
    """Install torch, and then what belongs to it without its requirements, which might bring another torch.

    Args:
        requirements: `EnvironmentSpec.torch`, torch itself first.
        python: The interpreter of the environment.
        choices: What the user chose.
        versions: Lines of constraints for what torch itself requires.
        say: Called with lines of progress.

    Raises:
        EnvironmentSetupError: uv fails, or the build that was chosen cannot be had.
    """
    torch, *others = requirements
    source = _source(torch, python, choices, say)
    common = ["pip", "install", "--python", python, *choices.uv_arguments(), *source]
    say(f"Installing {', '.join(requirements)}")
    constrained = ["--constraints", "-"] if versions else []
    run = partial(run_uv, say=say, without=(BACKEND_VARIABLE,), variables=choices.uv_variables())
    run([*common, *constrained, torch], stdin=versions)
    if others:
        run([*common, "--no-deps", *others])


def _source(torch: str, python: str, choices: BuildChoices, say: Callable[[str], None]) -> list[str]:
    """Return uv's arguments that name the build.

    Raises:
        EnvironmentSetupError: A build was chosen, and PyTorch's index cannot be reached.
    """
    backend = choices.torch_backend or os.environ.get(BACKEND_VARIABLE)
    at_hand = _version_at_hand(torch, python, choices)
    if at_hand is not None and _fits(at_hand, backend):
        return []
    if backend is None and choices.index_url:
        return []
    if _reachable():
        return ["--torch-backend", backend or "auto"]
    if backend not in (None, "auto"):
        raise EnvironmentSetupError(
            f"The build `{backend}` of `{torch}` cannot be had: PyTorch's index ({INDEX}) cannot be reached.",
            hint="Give a folder that has its wheel with `--find-links DIR`, or take what the package index has (for "
            "Linux a build for CUDA, several GB) with `--torch-backend auto`.",
        )
    if at_hand is None:
        say(
            "PyTorch's own index cannot be reached, so torch comes from the package index. Its Linux build is for CUDA "
            "and takes several GB; a folder with another wheel can be given with `--find-links DIR`."
        )
    return []


def _version_at_hand(torch: str, python: str, choices: BuildChoices) -> str | None:
    """Return the version of torch in the folders of wheels that were named; None when they have none that fits."""
    if not (choices.find_links or os.environ.get("UV_FIND_LINKS")):
        return None
    arguments = ["pip", "install", "--python", python, "--dry-run", "--reinstall", "--no-deps", "--no-index"]
    said = ask_uv([*arguments, *choices.uv_arguments(), torch], without=(BACKEND_VARIABLE,))
    found = re.search(r"^ \+ torch==(\S+)", said or "", re.MULTILINE)
    return found.group(1) if found else None


def _fits(version: str, backend: str | None) -> bool:
    """Whether the wheel at hand is the build that was chosen; without a choice it is."""
    if backend is None:
        return True
    local = version.partition("+")[2]
    if backend == "auto":
        return has_gpu() == (local != "cpu")
    return local == backend


def _reachable() -> bool:
    if os.environ.get("UV_OFFLINE"):
        return False
    import urllib.request  # noqa: PLC0415 (heavy, and seldom needed)

    try:
        with urllib.request.urlopen(INDEX, timeout=_REACH_TIMEOUT_S) as answer:
            return int(answer.status) == 200
    except (OSError, ValueError):
        return False
