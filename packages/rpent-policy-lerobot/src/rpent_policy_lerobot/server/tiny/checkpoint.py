"""Making a tiny checkpoint: configuration, random weights, pipelines with statistics, tokenizer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.factory import get_policy_class, make_policy_config, make_pre_post_processors
from rpent.policies.checkpoint import read_json

from rpent_policy_lerobot.checkpoint import CONFIG, PREPROCESSOR
from rpent_policy_lerobot.companions import TOKENIZER_STEP
from rpent_policy_lerobot.server.tiny.language import VLM_NAME, save_vlm

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Sizes:
    """What a checkpoint takes and gives."""

    cameras: tuple[str, ...]
    picture: int
    """Rows and columns of a picture."""
    state: int
    action: int
    chunk: int
    """Actions that the model gives at once."""
    execute: int
    """Actions that are meant to be carried out."""


def make(family: str, folder: Path, sizes: Sizes, *, seed: int = 0) -> None:
    """Write a checkpoint as LeRobot's training would.

    A tokenizer and a VLM's configuration are named as on the hub, and lie in the folders `tokenizer` and `vlm` of the
    checkpoint.

    Args:
        family: `act`, `diffusion` or `smolvla`.
        folder: Where to; made if need be.
        sizes: Its inputs and outputs.
        seed: Of the random weights.
    """
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    language = {}
    if family == "smolvla":
        save_vlm(folder / "vlm", folder / "tokenizer")
        language = {"vlm_model_name": str(folder / "vlm")}
    settings = _settings(family, sizes, **language)
    policy = get_policy_class(family)(settings)
    pre, post = make_pre_post_processors(settings, dataset_stats=_statistics(sizes))
    for part in (policy, pre, post):
        part.save_pretrained(folder)
    if family == "smolvla":
        _name_as_on_the_hub(folder)


def _settings(family: str, sizes: Sizes, **language: str) -> Any:
    features: dict[str, Any] = {
        name: PolicyFeature(FeatureType.VISUAL, (3, sizes.picture, sizes.picture)) for name in sizes.cameras
    }
    features["observation.state"] = PolicyFeature(FeatureType.STATE, (sizes.state,))
    common = {
        "input_features": features,
        "output_features": {"action": PolicyFeature(FeatureType.ACTION, (sizes.action,))},
        "device": "cpu",
        "push_to_hub": False,
        "n_action_steps": sizes.execute,
    }
    return make_policy_config(family, **common, **_small(family, sizes), **language)


def _small(family: str, sizes: Sizes) -> dict[str, Any]:
    if family == "act":
        layers = dict.fromkeys(("n_encoder_layers", "n_decoder_layers", "n_vae_encoder_layers"), 1)
        width = {"dim_model": 64, "n_heads": 4, "dim_feedforward": 128}
        return {"chunk_size": sizes.chunk, "pretrained_backbone_weights": None, **layers, **width}
    if family == "diffusion":
        unet = {"down_dims": (32, 64), "diffusion_step_embed_dim": 32, "n_groups": 4, "kernel_size": 3}
        sampling = {
            "noise_scheduler_type": "DDIM",
            "num_inference_steps": 10,
            "horizon": sizes.chunk,
            "n_obs_steps": 2,
        }
        vision = {
            "pretrained_backbone_weights": None,
            "crop_shape": (84, 84),
            "spatial_softmax_num_keypoints": 8,
        }
        # As LeRobot 0.4 has them; 0.6 has other defaults.
        pinned = {"use_group_norm": True, "use_separate_rgb_encoder_per_camera": False}
        return {**unet, **sampling, **vision, **pinned}
    tiny = {"resize_imgs_with_padding": (64, 64), "num_vlm_layers": 4, "num_steps": 5}
    return {"chunk_size": sizes.chunk, "load_vlm_weights": False, **tiny}


def _statistics(sizes: Sizes) -> dict[str, dict[str, Any]]:
    """Statistics as of a data set: states around 0, actions mostly small; pictures as ImageNet's."""
    picture = {
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "min": [0.0] * 3,
        "max": [1.0] * 3,
    }
    per_channel = {name: torch.tensor(values).reshape(3, 1, 1) for name, values in picture.items()}
    statistics = {name: dict(per_channel) for name in sizes.cameras}
    for name, length, spread in (("observation.state", sizes.state, 1.0), ("action", sizes.action, 0.3)):
        statistics[name] = {
            "mean": torch.zeros(length),
            "std": torch.full((length,), spread),
            "min": torch.full((length,), -1.0),
            "max": torch.ones(length),
        }
    return statistics


def _name_as_on_the_hub(folder: Path) -> None:
    """Replace the folders' paths, so that the checkpoint can be moved, and looks like those of the hub."""
    config = read_json(folder / CONFIG)
    config["vlm_model_name"] = VLM_NAME
    (folder / CONFIG).write_text(json.dumps(config, indent=4), encoding="utf-8")
    pipeline = read_json(folder / PREPROCESSOR)
    for step in pipeline["steps"]:
        if step.get("registry_name") == TOKENIZER_STEP:
            step["config"]["tokenizer_name"] = VLM_NAME
    (folder / PREPROCESSOR).write_text(json.dumps(pipeline, indent=2), encoding="utf-8")
