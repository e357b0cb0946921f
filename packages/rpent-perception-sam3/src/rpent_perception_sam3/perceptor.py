"""The perceptor on the agent's side: it sends pictures to a perception server and reads its masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import ToolError
from rpent.perception import Segment

from rpent_perception_sam3.masks import box_of, decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent.env.types import Observation
    from rpent.perception import PerceptorContext

SOMETHING = "object"
"""What a thing is called that was found by a point. It is a prompt too: what looks like a thing at all."""


class Sam3Perceptor:
    """Finds things by what they look like. It knows neither the robot nor the scene's objects by name."""

    def __init__(self, context: PerceptorContext) -> None:
        self._channel = context.channels["perception"]

    def segment(
        self,
        observation: Observation,
        camera: str,
        *,
        prompt: str | None = None,
        point: tuple[int, int] | None = None,
        min_score: float = 0.2,
        max_candidates: int = 8,
    ) -> Sequence[Segment]:
        """Return what a prompt names, or what is under a point [row, col], best first; empty when nothing fits.

        Raises:
            ToolError: The observation has no picture of that camera, or the server's answer cannot be used.
        """
        picture = observation.images.get(camera)
        if picture is None:
            raise ToolError(f"The observation has no picture of the camera `{camera}`.")
        if point is None and not (prompt or "").strip():
            return []
        answer = self._channel.call(
            "segment",
            image=np.ascontiguousarray(picture),
            prompt=prompt if point is None else None,
            point=None if point is None else [int(value) for value in point],
            min_score=float(min_score),
            max_candidates=int(max_candidates),
        )
        label = SOMETHING if point is not None else (prompt or "").strip()
        return list(_segments(answer, label, picture.shape[:2], int(max_candidates)))


def _segments(answer: Any, label: str, shape: tuple[int, ...], most: int) -> Iterator[Segment]:
    """Yield what a server answered, at most so many; an empty mask is nothing."""
    try:
        pairs = list(zip(answer["masks"], answer["scores"], strict=True))
    except (TypeError, KeyError, ValueError) as error:
        raise ToolError("The perception server's answer has not as many scores as masks.") from error
    for data, score in pairs[:most]:
        if not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ToolError("The perception server answered with a score that is no number from 0 to 1.")
        mask = decode(data, (int(shape[0]), int(shape[1])))
        box = box_of(mask)
        if box is not None:
            yield Segment(label=label, score=round(float(score), 3), mask=mask, box=box)
