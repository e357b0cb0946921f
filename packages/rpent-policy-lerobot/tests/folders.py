"""Checkpoint folders as LeRobot lays them out, written by hand: files, shapes and names, and weights of zeros."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rpent_torch.testing import write_zeros

if TYPE_CHECKING:
    from pathlib import Path

CAMERAS = ("observation.images.image", "observation.images.image2")
VLM = "HuggingFaceTB/SmolVLM2-500M-Video-Instruct"
_STATISTICS = {"observation.state": 8, "action": 7}


def config(family: str, **changes: Any) -> dict[str, Any]:
    """Return a `config.json`."""
    pictures = {name: {"type": "VISUAL", "shape": [3, 256, 256]} for name in CAMERAS}
    return {
        "type": family,
        "n_obs_steps": 1,
        "input_features": {**pictures, "observation.state": {"type": "STATE", "shape": [8]}},
        "output_features": {"action": {"type": "ACTION", "shape": [7]}},
        "chunk_size": 16,
        "n_action_steps": 8,
        "device": "cuda",
        **changes,
    }


def write_checkpoint(
    folder: Path, saved: dict[str, Any], *, tokenizer: bool = False, without: tuple[str, ...] = ()
) -> Path:
    """Write a checkpoint.

    Args:
        folder: Where to.
        saved: Its `config.json`.
        tokenizer: Whether it tokenises, with a tokenizer that it names on the hub.
        without: Statistics to leave out: `action.std`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(saved))
    write_zeros(folder / "model.safetensors", {"model.a": (4, 3), "model.b": (3,)})
    norm_map = {"VISUAL": "IDENTITY", "STATE": "MEAN_STD", "ACTION": "MEAN_STD"}
    normalizer = {
        "registry_name": "normalizer_processor",
        "config": {"norm_map": norm_map},
        "state_file": "pre.safetensors",
    }
    pre: list[dict[str, Any]] = [{"registry_name": "to_batch_processor", "config": {}}, normalizer]
    if tokenizer:
        pre.append({"registry_name": "tokenizer_processor", "config": {"tokenizer_name": VLM}})
    post = [{**normalizer, "registry_name": "unnormalizer_processor", "state_file": "post.safetensors"}]
    for name, steps in (("pre", pre), ("post", post)):
        (folder / f"policy_{name}processor.json").write_text(json.dumps({"name": name, "steps": steps}))
        shapes = {f"{key}.{kind}": (n,) for key, n in _STATISTICS.items() for kind in ("mean", "std")}
        shapes = {key: shape for key, shape in shapes.items() if key not in without}
        write_zeros(folder / f"{name}.safetensors", shapes)
    return folder
