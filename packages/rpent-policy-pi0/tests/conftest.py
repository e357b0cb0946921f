"""Folders that look like checkpoints, for what is judged without torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rpent_torch.testing import write_zeros

STATE, ACTION = 8, 7


@pytest.fixture
def write_tensors() -> Callable[[Path, dict[str, list[int]]], None]:
    """Write a safetensors file of zeros: key → shape."""
    return write_zeros


@pytest.fixture
def folder(tmp_path: Path, write_tensors: Callable[..., None]) -> Path:
    """What transformers saves."""
    place = tmp_path / "checkpoint"
    place.mkdir()
    save(place / "config.json", {"model_type": "pi0", "chunk_size": 16, "num_inference_steps": 5})
    save(
        place / "processor_config.json",
        {
            "state_mean": [0.0] * STATE,
            "state_std": [1.0] * STATE,
            "actions_mean": [0.0] * ACTION,
            "actions_std": [1.0] * ACTION,
        },
    )
    save(place / "tokenizer.json", {})
    write_tensors(
        place / "model.safetensors",
        {"embed_action_time.state_proj.weight": [4, 32], "action_out_proj.weight": [32, 4]},
    )
    return place


@pytest.fixture
def lerobot(tmp_path: Path, write_tensors: Callable[..., None]) -> Path:
    """What LeRobot saves."""
    place = tmp_path / "lerobot"
    place.mkdir()
    pictures = ("observation.images.image", "observation.images.image2", "observation.images.empty_camera_0")
    features = {name: {"type": "VISUAL", "shape": [3, 256, 256]} for name in pictures}
    features["observation.state"] = {"type": "STATE", "shape": [STATE]}
    save(
        place / "config.json",
        {
            "type": "pi0",
            "chunk_size": 50,
            "n_action_steps": 10,
            "input_features": features,
            "paligemma_variant": "gemma_2b",
        },
    )
    norms = {"VISUAL": "IDENTITY", "STATE": "MEAN_STD", "ACTION": "MEAN_STD"}
    save(place / "policy_preprocessor.json", {"steps": [{"config": {"norm_map": norms}}, {"config": {}}]})
    statistics = {"observation.state": STATE, "action": ACTION}
    write_tensors(
        place / "policy_preprocessor_step_5_normalizer_processor.safetensors",
        {f"{key}.{what}": [size] for key, size in statistics.items() for what in ("mean", "std", "min")},
    )
    write_tensors(place / "model.safetensors", {"model.state_proj.weight": [4, 32]})
    save(place / "tokenizer.json", {})
    return place


def save(path: Path, values: Any) -> None:
    """Write JSON."""
    path.write_text(json.dumps(values))
