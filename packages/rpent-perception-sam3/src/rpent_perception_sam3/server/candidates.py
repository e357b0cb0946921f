"""Masks and scores of a model as candidates: best first, none empty, none below the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_perception_sam3.masks import box_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that was found."""

    mask: NDArray[np.bool_]
    """(H, W), of the picture's size."""
    score: float
    box: tuple[int, int, int, int]
    """row_min, col_min, row_max, col_max, inclusive; measured on the mask."""


def candidates(masks: Any, scores: Any, *, threshold: float, limit: int) -> list[Candidate]:
    """Return the best of them.

    Args:
        masks: (K, H, W) tensor of whole numbers or bool.
        scores: (K,) tensor, 0 to 1; what is not finite is left out.
        threshold: The lowest score.
        limit: At most so many.
    """
    values = scores.float().cpu().numpy()
    found: list[Candidate] = []
    for index in np.argsort(-values, kind="stable"):
        score = float(values[index])
        if len(found) >= limit or not score >= threshold:
            continue
        mask = masks[int(index)].cpu().numpy().astype(bool)
        box = box_of(mask)
        if box is not None:
            found.append(Candidate(mask, min(1.0, round(score, 4)), box))
    return found
