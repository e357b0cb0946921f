"""The thing at a point of a picture."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

from PIL import Image

from rpent_perception_sam3.server.candidates import Candidate, candidates
from rpent_perception_sam3.server.features import Features

if TYPE_CHECKING:
    from rpent_perception_sam3.config import Sam3Config
    from rpent_perception_sam3.server.question import Question

OBJECT = 1
"""The label of a point on the thing, not beside it."""


class Tracker:
    """`Sam3TrackerModel` with its processor. A point is often on several things in one another: a lid, its jar."""

    def __init__(self, model: Any, processor: Any, *, device: str, config: Sam3Config) -> None:
        self._model, self._processor, self._device = model, processor, device
        self._config = config
        self.features = Features(config.kept_pictures)
        self.parameters = sum(int(weight.numel()) for weight in model.parameters())

    def find(self, asked: Question) -> list[Candidate]:
        """Return what is at the point, best first: up to three readings, one where one is asked for."""
        if asked.point is None:
            return []
        row, column = asked.point
        inputs = self._processor(
            images=Image.fromarray(asked.image),
            input_points=[[[[column, row]]]],  # the model's points are x, y
            input_labels=[[[OBJECT]]],
            return_tensors="pt",
        )
        embeddings = self.features.of(asked.key, lambda: self._see(inputs["pixel_values"]))
        outputs = self._model(
            image_embeddings=list(embeddings),
            input_points=inputs["input_points"].to(device=self._device, dtype=self._model.dtype),
            input_labels=inputs["input_labels"].to(self._device),
            multimask_output=True,
        )
        masks = self._processor.post_process_masks(
            outputs.pred_masks.float(),
            [list(asked.shape)],
            mask_threshold=_logit(self._config.mask_threshold),
        )[0][0]
        threshold = max(asked.min_score, self._config.score_threshold)
        scores = outputs.iou_scores[0, 0]
        return candidates(masks, scores, threshold=threshold, limit=asked.max_candidates)

    def _see(self, pixels: Any) -> Any:
        return self._model.get_image_embeddings(pixels.to(device=self._device, dtype=self._model.dtype))


def _logit(share: float) -> float:
    """Return the logit of a probability: masks of the tracker are logits."""
    kept = min(max(share, 1e-6), 1 - 1e-6)
    return log(kept / (1 - kept))
