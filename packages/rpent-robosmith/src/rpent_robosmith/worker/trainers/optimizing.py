"""The state of torch's optimisers as plain data and arrays, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Mapping


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Return what an optimiser remembers: parameter's number → name → array or number."""
    state = optimizer.state_dict()["state"]
    return {
        str(number): {
            name: value.detach().cpu().numpy().copy() if isinstance(value, torch.Tensor) else value
            for name, value in values.items()
        }
        for number, values in state.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, saved: Mapping[str, Any]) -> None:
    """Give an optimiser of the same parameters what `optimizer_arrays` returned."""
    state = {
        int(number): {
            name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }
        for number, values in saved.items()
    }
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
