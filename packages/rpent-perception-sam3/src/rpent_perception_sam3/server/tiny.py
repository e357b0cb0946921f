"""A checkpoint of the real classes with random weights: `python -m rpent_perception_sam3.server.tiny DIR`.

Less than half a million parameters, in the folders `detector` and `tracker`. Its masks mean nothing; its files and its
code paths are those of a real one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from rpent_torch import vision

from rpent_perception_sam3.checkpoint import DETECTOR, TRACKER

if TYPE_CHECKING:
    from collections.abc import Sequence

SIDE, WIDTH = 112, 32
"""Rows and columns of a picture (a multiple of the patch, 14); numbers in a token."""
SENTENCES = ("the black bowl on the plate", "the top drawer of the wooden cabinet", "the robot")
_SMALL: dict[str, Any] = {"hidden_size": WIDTH, "num_attention_heads": 2}
_LAYER: dict[str, Any] = {**_SMALL, "num_layers": 1, "intermediate_size": 64}


def make(folder: Path, *, together: bool = False) -> None:
    """Write a tiny detector with processor and tokenizer, and a tiny tracker.

    Args:
        folder: Where to; it is made.
        together: Write one file with both, as `facebook/sam3` has it, instead of a folder for each.
    """
    vision.install()
    from rpent_torch.server.tiny_tokenizer import tiny_tokenizer  # noqa: PLC0415
    from transformers import (  # noqa: PLC0415  (torchvision must be mended before)
        Sam3ImageProcessor,
        Sam3Model,
        Sam3Processor,
        Sam3TrackerModel,
    )

    tokenizer = tiny_tokenizer(SENTENCES)
    images = Sam3ImageProcessor(size={"height": SIDE, "width": SIDE}, mask_size={"height": 32, "width": 32})
    torch.manual_seed(0)
    detector, tracker = Sam3Model(_detector(len(tokenizer))), Sam3TrackerModel(_tracker())
    if together:
        _save_together(folder, detector, tracker)
    else:
        for name, model in ((DETECTOR, detector), (TRACKER, tracker)):
            (folder / name).mkdir(parents=True, exist_ok=True)
            model.save_pretrained(folder / name)
    Sam3Processor(images, tokenizer).save_pretrained(folder if together else folder / DETECTOR)


def _save_together(folder: Path, detector: Any, tracker: Any) -> None:
    """Write both models as the one that follows things in videos names their weights; the backbone is common."""
    from safetensors.torch import save_file  # noqa: PLC0415

    tensors = {f"detector_model.{key}": tensor for key, tensor in detector.state_dict().items()}
    for key, tensor in tracker.state_dict().items():
        if key.startswith("vision_encoder.neck."):
            tensors[f"tracker_neck.{key.removeprefix('vision_encoder.neck.')}"] = tensor
        elif not key.startswith("vision_encoder.backbone."):
            tensors[f"tracker_model.{key}"] = tensor
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    # Sam3VideoConfig would make the tracker's picture one of 1008×1008.
    parts = {"detector_config": detector.config.to_dict(), "tracker_config": tracker.config.to_dict()}
    config = {"model_type": "sam3_video", "architectures": ["Sam3VideoModel"], **parts}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")


def _detector(words: int) -> Any:
    from transformers import Sam3Config  # noqa: PLC0415

    text = {
        "model_type": "clip_text_model",
        "vocab_size": words,
        "hidden_size": WIDTH,
        "intermediate_size": 64,
        "projection_dim": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 32,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return Sam3Config(
        vision_config=_vision(),
        geometry_encoder_config=dict(_LAYER),
        detr_encoder_config=dict(_LAYER),
        detr_decoder_config={**_LAYER, "num_queries": 8},
        mask_decoder_config=dict(_SMALL),
        text_config=text,
    )


def _tracker() -> Any:
    from transformers import Sam3TrackerConfig  # noqa: PLC0415

    return Sam3TrackerConfig(
        vision_config=_vision(),
        prompt_encoder_config={
            "hidden_size": WIDTH,
            "image_size": SIDE,
            "patch_size": 14,
            "mask_input_channels": 8,
        },
        mask_decoder_config={
            "hidden_size": WIDTH,
            "mlp_dim": 64,
            "num_attention_heads": 2,
            "iou_head_hidden_dim": WIDTH,
        },
    )


def _vision() -> dict[str, Any]:
    """Return a fresh one for each configuration, which keeps it."""
    return {
        "model_type": "sam3_vision_model",
        "fpn_hidden_size": WIDTH,
        "backbone_feature_sizes": [[32, 32], [16, 16], [8, 8]],
        "backbone_config": {
            "model_type": "sam3_vit_model",
            **_SMALL,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "image_size": SIDE,
            "patch_size": 14,
            "window_size": 4,
            "global_attn_indexes": [1],
            "pretrain_image_size": 56,
        },
    }


def main(arguments: Sequence[str]) -> int:
    """Make one in the folder that is named."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m rpent_perception_sam3.server.tiny DIR\n")
        return 2
    make(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
