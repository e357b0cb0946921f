"""Questions that wait for the model, and which of them are asked together."""

from __future__ import annotations

import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rpent.rpc.failures import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from rpent.policies.api import PastFrame
    from rpent.policies.episodes import Episode

MAX_WAITING = 256


@dataclass(slots=True, eq=False)
class Question:
    """One request on its way to the model."""

    images: Mapping[str, NDArray[np.uint8]]
    state: Mapping[str, NDArray[np.float32]]
    instruction: str
    episode: Episode
    finish: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    """What becomes of the checkpoint's (T, D) chunk before it is the answer."""
    history: tuple[PastFrame, ...] | None = None
    future: Future[NDArray[np.float64]] = field(default_factory=Future)
    arrived: float = field(default_factory=time.monotonic)

    def settle(self, *, answer: Any = None, error: BaseException | None = None) -> None:
        """Answer it, unless it has been answered (a cancelled one has)."""
        with suppress(InvalidStateError):
            if error is not None:
                self.future.set_exception(error)
            else:
                self.future.set_result(answer)


class Waiting:
    """The questions in the order in which they came. Not thread-safe: the worker's lock guards it."""

    def __init__(self) -> None:
        self._questions: list[Question] = []

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._questions)

    def add(self, question: Question) -> None:
        """Let a question wait.

        Raises:
            BusyError: Too many do.
        """
        if len(self._questions) >= MAX_WAITING:
            raise BusyError(f"The policy server has {MAX_WAITING} questions waiting and takes no more.")
        self._questions.append(question)

    def take(self, limit: int) -> list[Question]:
        """Take the oldest questions, at most one of each episode: its next one sees what this one left."""
        taken: dict[int, Question] = {}
        for question in self._questions:
            if len(taken) < limit:
                taken.setdefault(id(question.episode), question)
        batch = list(taken.values())
        self._questions = [question for question in self._questions if question not in batch]
        return batch

    def drop(self, unwanted: Callable[[Question], bool]) -> list[Question]:
        """Take out and return the questions that nobody wants an answer to."""
        dropped = [question for question in self._questions if unwanted(question)]
        self._questions = [question for question in self._questions if question not in dropped]
        return dropped
