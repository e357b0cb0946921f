"""A privileged perceptor: instance masks from the simulator, looked up by a text prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from rpent.perception import Segment

from rpent_manipulation.labels import NOTHING, ROBOT, SCENERY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rpent.env.types import Observation
    from rpent.perception import PerceptorContext

    from rpent_manipulation.perception.vocabulary import Vocabulary

MIN_PIXELS = 6
"""Smaller patches are slivers behind other things: too few points for anything."""

IGNORED = frozenset({NOTHING, SCENERY})
"""Labels of pixels that show no thing."""


class SimulatorPerceptor:
    """Finds things by asking the env server which instance each pixel shows.

    Of the observation only the size and the robot's state are looked at, so it must be called before the next action;
    one rendering is kept per camera while the robot's state stays the same. A robot's own class says `vocabulary`.
    """

    vocabulary: ClassVar[Vocabulary]
    """What the benchmark calls its things."""

    def __init__(self, context: PerceptorContext) -> None:
        self._channel = context.channels["env"]
        self._kept: dict[str, tuple[tuple[Any, ...], tuple[str, ...], NDArray[Any]]] = {}

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
        """Return the instances that a prompt names, or the one under a point [row, col], best first."""
        labels, index = self._instances(camera, observation)
        named = point is None
        chosen = (
            self.vocabulary.match(prompt or "", labels, min_score=min_score)
            if named
            else [(int(index[point]), 1.0)]
        )
        segments = [
            segment
            for number, score in chosen
            if labels[number] not in IGNORED
            and (segment := self._segment(labels, index, number, score)) is not None
        ]
        segments.sort(key=lambda found: (-found.score, -int(found.mask.sum())))
        return segments[:max_candidates]

    def _instances(self, camera: str, observation: Observation) -> tuple[tuple[str, ...], NDArray[Any]]:
        size = observation.cameras[camera].height
        key = (size, observation.step, observation.joint_positions.tobytes(), observation.gripper_opening_m)
        kept = self._kept.get(camera)
        if kept is None or kept[0] != key:
            answer = self._channel.call("instances", camera=camera, size=size)
            labels = tuple(str(label) for label in answer["labels"])
            kept = self._kept[camera] = (key, labels, np.asarray(answer["index"]))
        return kept[1], kept[2]

    def _segment(
        self, labels: Sequence[str], index: NDArray[Any], number: int, score: float
    ) -> Segment | None:
        """Return the visible region of one label; an instance includes its parts, and a door its handle.

        Pixels of nothing count as the robot's: they show the marks that the simulator draws along the hand.
        """
        label = labels[number]
        members = [number]
        if label == ROBOT:
            members += [other for other, name in enumerate(labels) if name == NOTHING]
        if not self.vocabulary.split_label(label)[1]:
            members += [other for other, name in enumerate(labels) if name.startswith(f"{label}/")]
        members += [other for other, name in enumerate(labels) if name == f"{label}_handle"]
        mask = np.isin(index, members)
        if int(mask.sum()) < MIN_PIXELS:
            return None
        rows, cols = np.nonzero(mask)
        box = (int(rows.min()), int(cols.min()), int(rows.max()), int(cols.max()))
        return Segment(label=self.vocabulary.spoken(label), score=round(score, 3), mask=mask, box=box)
