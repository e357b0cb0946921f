"""A tokenizer and a SmolVLM configuration so small that they are made in a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_torch.server.tiny_tokenizer import tiny_tokenizer
from transformers import SmolVLMConfig, SmolVLMImageProcessor, SmolVLMProcessor
from transformers.models.smolvlm.video_processing_smolvlm import SmolVLMVideoProcessor

if TYPE_CHECKING:
    from pathlib import Path

VLM_NAME = "HuggingFaceTB/SmolVLM2-500M-Video-Instruct"
"""What SmolVLA's checkpoints name."""

_SENTENCES = ["pick up the black bowl and place it on the plate", "open the top drawer of the cabinet"]
_PICTURE_MARKS = {
    "image_token": "<image>",
    "fake_image_token": "<fake_token_around_image>",
    "global_image_token": "<global-img>",
    "end_of_utterance_token": "<end_of_utterance>",
}


def save_vlm(folder: Path, tokenizer_folder: Path) -> None:
    """Write the configuration and processor of a vision-language model without weights, and its tokenizer apart.

    Args:
        folder: For the model's configuration and processor.
        tokenizer_folder: For the tokenizer alone.
    """
    tokenizer = tiny_tokenizer(_SENTENCES, extra=_PICTURE_MARKS)
    tokenizer.save_pretrained(tokenizer_folder)
    _config(tokenizer).save_pretrained(folder)
    edge = {"longest_edge": 64}
    video = {"fps": 1, "max_frames": 4, "video_size": edge}
    processor = SmolVLMProcessor(
        SmolVLMImageProcessor(size=edge, max_image_size=edge, do_image_splitting=False),
        tokenizer,
        SmolVLMVideoProcessor(size=edge, max_image_size=edge, num_frames=4, fps=1, video_sampling=video),
        image_seq_len=4,
    )
    processor.save_pretrained(folder)


def _config(tokenizer: Any) -> Any:
    text = {
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
    }
    vision = {
        "hidden_size": 48,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": 64,
        "patch_size": 16,
    }
    return SmolVLMConfig(
        scale_factor=2,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=tokenizer.pad_token_id,
        text_config=text,
        vision_config=vision,
    )
