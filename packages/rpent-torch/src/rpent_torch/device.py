"""Which device a policy computes on."""

from __future__ import annotations

from typing import Any

from rpent.errors import PolicyError


def choose(device: str = "auto") -> str:
    """Return the torch device to use.

    Args:
        device: `auto` (CUDA, else Apple's MPS, else the CPU), or a device in torch's words: `cpu`, `cuda`, `cuda:1`.

    Raises:
        PolicyError: The device does not exist, or this build of torch cannot use it.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    kind, _, index = device.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (index and not index.isdigit()):
        raise PolicyError(
            f"`{device}` is not a device.", hint="Accepted: `auto`, `cpu`, `cuda`, `cuda:N`, `mps`."
        )
    if kind == "mps" and not torch.backends.mps.is_available():
        raise PolicyError("The device `mps` cannot be used on this machine.", hint="Leave `--device` out.")
    if kind == "cuda":
        _check_cuda(device, int(index or 0))
    return device


def facts(device: str) -> dict[str, Any]:
    """Return what is worth reporting about a device and torch: names, versions, threads."""
    import torch

    found: dict[str, Any] = {
        "device": device,
        "torch": str(torch.__version__),
        "threads": int(torch.get_num_threads()),
    }
    if device.startswith("cuda"):
        found["device_name"] = str(torch.cuda.get_device_name(device))
        found["cuda"] = str(torch.version.cuda or torch.version.hip)
    return found


def _check_cuda(device: str, index: int) -> None:
    import torch

    count = int(torch.cuda.device_count())
    if not torch.cuda.is_available() or count == 0:
        build = torch.version.cuda or getattr(torch.version, "hip", None)
        why = "has no usable GPU" if build else f"is the CPU build {torch.__version__}"
        subject = "This machine" if build else "The torch here"
        raise PolicyError(
            f"The device `{device}` cannot be used: {subject} {why}.",
            hint="Use `--device cpu`, or build the environment for the GPU: "
            "`rpent env sync NAME --torch-backend auto`.",
        )
    if index >= count:
        raise PolicyError(
            f"The device `{device}` does not exist: there are {count} GPUs.",
            hint=f"Accepted: `cuda:0` to `cuda:{count - 1}`.",
        )
