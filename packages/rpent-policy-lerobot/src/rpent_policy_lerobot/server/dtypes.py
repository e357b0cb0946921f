"""Number types of a policy that was trained on top of a half-precision vision-language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from rpent_torch import weights

if TYPE_CHECKING:
    from pathlib import Path

_TYPES = {"BF16": "bfloat16", "F16": "float16"}


def as_saved(policy: Any, folder: Path) -> None:
    """Give parameters the type that they have in the file, as they had in training.

    Args:
        policy: The loaded policy; its parameters are float32.
        folder: The checkpoint.
    """
    saved = weights.shapes(folder / weights.WEIGHTS)
    for name, parameter in policy.named_parameters():
        kind = _TYPES.get(saved[name].dtype) if name in saved else None
        if kind is not None:
            parameter.data = parameter.data.to(getattr(torch, kind))
