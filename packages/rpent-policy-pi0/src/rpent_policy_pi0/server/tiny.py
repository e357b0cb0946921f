"""A checkpoint of the real classes, made in seconds with random weights: `python -m rpent_policy_pi0.server.tiny DIR`.

Half a million parameters; its answers mean nothing, its files and its code paths are those of a real one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from rpent_torch import vision

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
