"""A checkpoint of the real classes, made in seconds with random weights: `python -m rpent_policy_pi0.server.tiny DIR`.

Half a million parameters; its answers mean nothing, its files and its code paths are those of a real one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import torch
from rpent_torch import vision

from rpent_policy_pi0.config import CAMERAS

if TYPE_CHECKING:
    from collections.abc import Sequence

STATE, ACTION, CHUNK = 8, 7, 16
IMAGE_SIDE, IMAGE_TOKENS = 56, 16
SENTENCES = ("put the black bowl on the plate", "pick up the cream cheese and open the top drawer")


def make(folder: Path, *, state: int = STATE, action: int = ACTION, chunk: int = CHUNK) -> None:
    """Write config, weights, processor and tokenizer of a tiny PI0.

    Args:
        folder: Where to; it is made.
        state: Numbers in the robot's state.
        action: Numbers in an action.
        chunk: Actions in one answer.
    """
    vision.install()
    from rpent_torch.server.tiny_tokenizer import tiny_tokenizer  # noqa: PLC0415
    from transformers import (  # noqa: PLC0415  (torchvision must be mended before)
        PI0Config,
        PI0ForConditionalGeneration,
        PI0ImageProcessor,
        PI0Processor,
    )

    side = {"height": IMAGE_SIDE, "width": IMAGE_SIDE}
    images = PI0ImageProcessor(
        size={"max_height": IMAGE_SIDE, "max_width": IMAGE_SIDE},
        pad_size=side,
        image_seq_length=IMAGE_TOKENS,
    )
    tokenizer = tiny_tokenizer(SENTENCES)
    processor = PI0Processor(
        images,
        tokenizer,
        state_mean=[0.1 * index for index in range(state)],
        state_std=[1.0] * state,
        actions_mean=[0.0] * action,
        actions_std=[0.2] * action,
        max_state_dim=32,
        chunk_size=chunk,
    )
    config = PI0Config(
        chunk_size=chunk,
        num_inference_steps=3,
        dit_config=dict(_TOWER),
        vlm_config={
            "model_type": "paligemma",
            "projection_dim": 64,
            "image_token_id": tokenizer.convert_tokens_to_ids("<image>"),
            "text_config": {**_TOWER, "vocab_size": 2048},
            "vision_config": dict(_EYES),
        },
    )
    torch.manual_seed(0)
    model = PI0ForConditionalGeneration(config)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def make_lerobot(folder: Path) -> None:
    """Write the same weights as LeRobot saves a Pi0: under its names, with its statistics, without a tokenizer.

    LeRobot itself has no Pi0 of this size, so its config.json has the sizes of the towers besides.

    Args:
        folder: Where to; it is made.
    """
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    with TemporaryDirectory() as temporary:
        make(Path(temporary))
        tensors = load_file(Path(temporary) / "model.safetensors")
        config = json.loads((Path(temporary) / "config.json").read_text(encoding="utf-8"))
        processor = json.loads((Path(temporary) / "processor_config.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    save_file({_lerobot_key(key): tensor for key, tensor in tensors.items()}, folder / "model.safetensors")
    statistics = {"observation.state": "state", "action": "actions"}
    save_file(
        {
            f"{key}.{what}": torch.tensor(processor[f"{name}_{what}"])
            for key, name in statistics.items()
            for what in ("mean", "std")
        },
        folder / "policy_preprocessor_step_5_normalizer_processor.safetensors",
    )
    kept = (
        "chunk_size",
        "max_state_dim",
        "max_action_dim",
        "num_inference_steps",
        "vlm_config",
        "dit_config",
    )
    features = {name: {"type": "VISUAL", "shape": [3, 256, 256]} for name in CAMERAS}
    values = {
        "type": "pi0",
        "n_action_steps": 8,
        "input_features": features,
        **{name: config[name] for name in kept},
    }
    norms = {"VISUAL": "IDENTITY", "STATE": "MEAN_STD", "ACTION": "MEAN_STD"}
    steps = [{"registry_name": "normalizer_processor", "config": {"norm_map": norms}}]
    for name, content in (("config.json", values), ("policy_preprocessor.json", {"steps": steps})):
        (folder / name).write_text(json.dumps(content, indent=2), encoding="utf-8")


def _lerobot_key(key: str) -> str:
    """Return LeRobot's name of a weight; of the words it keeps only the output layer, which is the input layer too."""
    key = key.replace(".language_model.model.", ".language_model.")
    key = key.replace(".vision_tower.", ".vision_tower.vision_model.")
    key = key.replace("paligemma.model.language_model.embed_tokens", "paligemma.lm_head")
    return f"model.{key}"


_TOWER = {
    "model_type": "gemma",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 128,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 32,
}
_EYES = {
    "model_type": "siglip_vision_model",
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "patch_size": 14,
    "image_size": IMAGE_SIDE,
    "vision_use_head": False,
}


def main(arguments: Sequence[str]) -> int:
    """Make one in the folder that is named."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m rpent_policy_pi0.server.tiny DIR\n")
        return 2
    make(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
