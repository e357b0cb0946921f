"""Everything in a picture that a text names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_perception_sam3.server.candidates import Candidate, candidates
from rpent_perception_sam3.server.features import Features

if TYPE_CHECKING:
    from rpent_perception_sam3.config import Sam3Config
    from rpent_perception_sam3.server.question import Question

MAX_TOKENS = 32
"""What the text encoder reads; its processor pads to this and does not cut."""


class Detector:
    """`Sam3Model` with its processor."""

    def __init__(self, model: Any, processor: Any, *, device: str, config: Sam3Config) -> None:
        self._model, self._processor, self._device = model, processor, device
        self._config = config
        self.features = Features(config.kept_pictures)
        self.parameters = sum(int(weight.numel()) for weight in model.parameters())
        self.side = int(processor.image_processor.size["height"])

    def find(self, asked: Question) -> list[Candidate]:
        """Return what the prompt names, best first; empty when nothing does."""
        vision = self.features.of(asked.key, lambda: self._see(asked))
        text = self._processor.tokenizer(
            asked.prompt, return_tensors="pt", padding="max_length", truncation=True, max_length=MAX_TOKENS
        )
        outputs = self._model(
            vision_embeds=vision,
            input_ids=text["input_ids"].to(self._device),
            attention_mask=text["attention_mask"].to(self._device),
        )
        threshold = max(asked.min_score, self._config.score_threshold)
        found = self._processor.post_process_instance_segmentation(
            outputs,
            threshold=min(threshold, 1.0) - 1e-6,  # it leaves out what equals its threshold
            mask_threshold=self._config.mask_threshold,
            target_sizes=[asked.shape],
        )[0]
        if len(found["scores"]) == 0:  # the masks of nothing have another size
            return []
        return candidates(found["masks"], found["scores"], threshold=threshold, limit=asked.max_candidates)

    def _see(self, asked: Question) -> Any:
        pixels = self._processor.image_processor(images=_upright(asked), return_tensors="pt")["pixel_values"]
        return self._model.get_vision_features(pixels.to(device=self._device, dtype=self._model.dtype))


def _upright(asked: Question) -> Any:
    from PIL import Image  # noqa: PLC0415

    return Image.fromarray(asked.image)  # an array of 3 rows would be taken for channels first
