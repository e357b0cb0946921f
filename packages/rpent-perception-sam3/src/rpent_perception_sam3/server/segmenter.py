"""Both models behind one question: texts go to the detector, points to the tracker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import transformers
from rpent.errors import ToolError, clause
from rpent_torch import device as devices
from rpent_torch import memory

if TYPE_CHECKING:
    from rpent_perception_sam3.server.candidates import Candidate
    from rpent_perception_sam3.server.detector import Detector
    from rpent_perception_sam3.server.question import Question
    from rpent_perception_sam3.server.tracker import Tracker


class Segmenter:
    """Not thread-safe: one thread asks."""

    def __init__(self, detector: Detector, tracker: Tracker | None, *, device: str) -> None:
        self._detector = detector
        self._tracker = tracker
        self._device = device

    @property
    def prompts(self) -> list[str]:
        """What can be asked by."""
        return ["text", "point"] if self._tracker else ["text"]

    def check(self, asked: Question) -> None:
        """Refuse what no model here can answer.

        Raises:
            ToolError: It asks by a point, and there is no tracker.
        """
        if asked.point is not None and self._tracker is None:
            raise ToolError(
                "This perception server answers texts only: its checkpoint has no tracker.",
                hint="Ask by a `prompt`; `--tracker DIR` of `rpent serve sam3/perception` adds points.",
            )

    def segment(self, asked: Question) -> list[Candidate]:
        """Return the candidates, best first.

        Raises:
            ToolError: The model failed: out of memory, for one.
        """
        self.check(asked)
        model = self._detector if asked.point is None or self._tracker is None else self._tracker
        try:
            with torch.inference_mode():
                return model.find(asked)
        except (RuntimeError, ValueError, IndexError) as error:
            if self._device.startswith("cuda"):
                torch.cuda.empty_cache()
            raise ToolError(f"SAM 3 failed: {clause(error)}.") from error

    def facts(self) -> dict[str, Any]:
        """Return what `describe` says of the models."""
        return {
            "prompts": self.prompts,
            "picture_side": self._detector.side,
            "parameters": self._detector.parameters + (self._tracker.parameters if self._tracker else 0),
            "versions": {"torch": str(torch.__version__), "transformers": transformers.__version__},
            **devices.facts(self._device),
        }

    def usage(self) -> dict[str, Any]:
        """Return memory, and how often a picture's features were at hand."""
        models = [model for model in (self._detector, self._tracker) if model is not None]
        return {
            "pictures_seen": sum(model.features.computed for model in models),
            "pictures_reused": sum(model.features.reused for model in models),
            **memory.facts(self._device),
        }
