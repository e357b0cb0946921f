"""A LeRobot checkpoint's files, written by hand: weights of zeros, processors and statistics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file

if TYPE_CHECKING:
    from pathlib import Path


def write_checkpoint(
    folder: Path,
    *,
    size: int = 6,
    cameras: tuple[str, ...] = (),
    tokenizes: bool = False,
    without: tuple[str, ...] = (),
    **changes: Any,
) -> Path:
    """Write an ACT checkpoint.

    Args:
        folder: Where to.
        size: Numbers of its state and action.
        cameras: Its pictures, 48 x 64.
        tokenizes: Whether it wants an instruction.
        without: Statistics to leave out: `action.std`.
        changes: Settings of `config.json`.
    """
    folder.mkdir(parents=True)
    pictures = {name: {"type": "VISUAL", "shape": [3, 48, 64]} for name in cameras}
    inputs = {**pictures, "observation.state": {"type": "STATE", "shape": [size]}}
    config = {
        "type": "act",
        "n_obs_steps": 1,
        "input_features": inputs,
        "output_features": {"action": {"type": "ACTION", "shape": [size]}},
        "chunk_size": 10,
        "n_action_steps": 5,
        **changes,
    }
    (folder / "config.json").write_text(json.dumps(config))
    save_file({"model.a": np.zeros((4, 3), np.float32)}, folder / "model.safetensors")
    norm_map = {"VISUAL": "IDENTITY", "STATE": "MEAN_STD", "ACTION": "MEAN_STD"}
    for name, kind in (("pre", "normalizer"), ("post", "unnormalizer")):
        state = f"{name}.safetensors"
        steps: list[dict[str, Any]] = [
            {
                "registry_name": f"{kind}_processor",
                "config": {"norm_map": norm_map},
                "state_file": state,
            }
        ]
        if tokenizes and name == "pre":
            steps.append({"registry_name": "tokenizer_processor", "config": {"tokenizer_name": "a/b"}})
        (folder / f"policy_{name}processor.json").write_text(json.dumps({"name": name, "steps": steps}))
        numbers = {
            f"{key}.{statistic}": np.full(size, value, np.float32)
            for key in ("observation.state", "action")
            for statistic, value in (("mean", 0.0), ("std", 1.0))
        }
        save_file({key: each for key, each in numbers.items() if key not in without}, folder / state)
    return folder
