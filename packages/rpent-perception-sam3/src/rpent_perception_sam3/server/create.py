"""The perception server `sam3/perception`: its methods, and the one thread that owns the models."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import CancelledCallError
from rpent.rpc.facade import Facade, Method
from rpent.rpc.loading import say_loading

from rpent_perception_sam3 import __version__
from rpent_perception_sam3.masks import encode
from rpent_perception_sam3.server.load import load
from rpent_perception_sam3.server.question import Question, question
from rpent_perception_sam3.server.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.rpc.facade import CallContext

    from rpent_perception_sam3.config import Sam3Config
    from rpent_perception_sam3.server.segmenter import Segmenter

    Answer = dict[str, Any]

MIN_TIMEOUT_S = 60.0
TIMEOUT_FACTOR = 10.0
"""A client waits for so many times the first answer's duration: others may be before it, and their pictures larger."""


def create(config: Sam3Config) -> Facade:
    """Load the models and return the facade.

    Raises:
        PolicyError: The checkpoint cannot be used.
    """
    server = PerceptionServer(config)
    methods = {
        "segment": Method(
            handler=server.segment,
            timeout_s=server.timeout_s,
            concurrent=True,
            summary="What a text names, or what is at a point [row, col] of a picture, best first.",
        ),
        "describe": Method(
            handler=server.describe, concurrent=True, summary="Model, device, accepted prompts."
        ),
        "status": Method(handler=server.status, concurrent=True, summary="Requests, seconds, memory."),
    }
    return Facade(
        name="sam3/perception",
        version=__version__,
        methods=methods,
        info={"prompts": server.prompts},
        close=server.close,
    )


class PerceptionServer:
    """Checks calls on any thread and answers them from one, which has the models; none waits for another's picture."""

    def __init__(self, config: Sam3Config) -> None:
        self._config = config
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="sam3")
        self._segmenter: Segmenter = self._worker.submit(load, config, say_loading).result()
        say_loading("a first answer")
        first_s: float = self._worker.submit(_first_answer, self._segmenter).result()
        self.timeout_s = round(max(MIN_TIMEOUT_S, TIMEOUT_FACTOR * first_s), 1)
        """How long clients should wait: a whole SAM 3 takes two minutes for a picture on a CPU."""
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
    ) -> Future[Answer]:
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
        answer: Future[Answer] = Future()
        self._statistics.arrived()
        work = self._worker.submit(self._statistics.timed, self._answer, asked)
        withdraw = call.cancel.on_cancel(partial(_withdraw, work))

        def finish(done: Future[Answer]) -> None:
            self._statistics.left()
            withdraw()
            _relay(done, answer)

        work.add_done_callback(finish)
        return answer

    def _answer(self, asked: Question) -> Answer:
        found = self._segmenter.segment(asked)
        return {
            "masks": [encode(each.mask) for each in found],
            "scores": [each.score for each in found],
            "boxes": [list(each.box) for each in found],
        }

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what this server is."""
        return {
            "perceptor": "sam3",
            "checkpoint": self._config.checkpoint,
            "score_threshold": self._config.score_threshold,
            **self._segmenter.facts(),
        }

    def status(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what it has done so far."""
        return {**self._statistics.data(), **self._segmenter.usage()}

    def close(self) -> None:
        """Drop what waits; the process ends anyway."""
        self._worker.shutdown(wait=False, cancel_futures=True)


def _first_answer(segmenter: Segmenter) -> float:
    """Ask all models about a grey picture, and return the seconds that it took."""
    grey = np.full((64, 64, 3), 127, np.uint8)
    started = time.monotonic()
    segmenter.segment(question(grey, "object", None, 0.0, 1))
    if "point" in segmenter.prompts:
        segmenter.segment(question(grey, None, [32, 32], 0.0, 1))
    return time.monotonic() - started


def _withdraw(work: Future[Answer]) -> None:
    """Take work back that has not begun; what the model has begun it ends."""
    work.cancel()


def _relay(done: Future[Answer], answer: Future[Answer]) -> None:
    """Answer as the work ended; work that was withdrawn before it began was cancelled."""
    if done.cancelled():
        answer.set_exception(CancelledCallError("The call was cancelled."))
    elif (error := done.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(done.result())
