"""The perception server `sam3/perception`: its methods, and the one thread that owns the models."""

from __future__ import annotations

from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import TYPE_CHECKING, Any

from rpent.errors import CancelledCallError
from rpent.rpc.facade import Facade, Method

from rpent_perception_sam3 import __version__
from rpent_perception_sam3.masks import encode
from rpent_perception_sam3.server.load import load
from rpent_perception_sam3.server.question import Question, question
from rpent_perception_sam3.server.statistics import Statistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rpent.rpc.facade import CallContext

    from rpent_perception_sam3.config import Sam3Config
    from rpent_perception_sam3.server.segmenter import Segmenter

SEGMENT_TIMEOUT_S = 600.0
"""A whole SAM 3 takes two minutes for a picture on a CPU."""
_LOOK_UP_S = 0.05
"""How often a waiting call looks whether it was cancelled."""


def create(config: Sam3Config) -> Facade:
    """Load the models and return the facade.

    Raises:
        PolicyError: The checkpoint cannot be used.
    """
    server = PerceptionServer(config)
    return Facade(
        name="sam3/perception",
        version=__version__,
        methods={
            "segment": Method(
                handler=server.segment,
                timeout_s=SEGMENT_TIMEOUT_S,
                concurrent=True,
                summary="What a text names, or what is at a point [row, col] of a picture, best first.",
            ),
            "describe": Method(
                handler=server.describe, concurrent=True, summary="Model, device, accepted prompts."
            ),
            "status": Method(handler=server.status, concurrent=True, summary="Requests, seconds, memory."),
        },
        info={"prompts": server.prompts},
        close=server.close,
    )


class PerceptionServer:
    """Answers calls from any thread; the models work on a thread of their own, one question at a time."""

    def __init__(self, config: Sam3Config) -> None:
        self._config = config
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="sam3")
        self._segmenter: Segmenter = self._worker.submit(load, config, _report).result()
        self._statistics = Statistics()

    @property
    def prompts(self) -> list[str]:
        """What can be asked by: `text`, `point`."""
        return self._segmenter.prompts

    def segment(
        self,
        call: CallContext,
        *,
        image: NDArray[np.uint8],
        prompt: str | None = None,
        point: list[int] | None = None,
        min_score: float = 0.2,
        max_candidates: int = 8,
    ) -> dict[str, Any]:
        """Find things in a picture.

        Args:
            call: The call.
            image: (H, W, 3) uint8, upright.
            prompt: A noun phrase; words beyond 32 tokens are not read.
            point: [row, col] of a pixel instead of a prompt.
            min_score: Candidates below are left out, and so are those below the server's own threshold.
            max_candidates: At most so many.

        Returns:
            `masks` (PNG with one bit a pixel, of the picture's size), `scores` from 0 to 1 in falling order, `boxes`
            [row_min, col_min, row_max, col_max], inclusive.

        Raises:
            ToolError: A parameter is not accepted, or the model failed.
        """
        asked = question(image, prompt, point, min_score, max_candidates)
        self._segmenter.check(asked)
        with self._statistics.waiting():
            found = self._answer(call, asked)
        return {
            "masks": [encode(each.mask) for each in found],
            "scores": [each.score for each in found],
            "boxes": [list(each.box) for each in found],
        }

    def _answer(self, call: CallContext, asked: Question) -> Any:
        future = self._worker.submit(self._statistics.timed, self._segmenter.segment, asked)
        while True:
            try:
                return future.result(timeout=_LOOK_UP_S)
            except CancelledError:
                raise CancelledCallError("The server is shutting down.") from None
            except NotYet:
                if future.done():  # the model's own timeout, not ours
                    raise
                if call.cancel.cancelled and future.cancel():
                    call.raise_if_cancelled()

    def describe(self, _call: CallContext) -> dict[str, Any]:
        """Return what this server is."""
        return {
            "perceptor": "sam3",
            "checkpoint": self._config.checkpoint,
            "score_threshold": self._config.score_threshold,
            **self._segmenter.facts(),
        }

    def status(self, _call: CallContext) -> dict[str, Any]:
        """Return what it has done so far."""
        return {**self._statistics.as_data(), **self._segmenter.usage()}

    def close(self) -> None:
        """Drop what waits; the process ends anyway."""
        self._worker.shutdown(wait=False, cancel_futures=True)


def _report(stage: str, fraction: float | None = None) -> None:
    """Say in the service's log what is being done."""
    share = "" if fraction is None else f" ({fraction:.0%})"
    print(f"loading: {stage}{share}", flush=True)  # noqa: T201 (the supervisor reads it)
