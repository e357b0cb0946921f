"""What a training tells, held to what can be: with a reward in its process, nothing of it is to be trusted.

A candidate's code can forge every message of its own training, and whatever it says must cost only that training: it
ends, its numbers are numbers of this order, its texts are one short line, and its files are no larger than they can be.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError
from rpent.printable import printable

from rpent_robosmith.policy.shapes import input_size
from rpent_robosmith.reports import CurvePoint
from rpent_robosmith.training.checkpoints import APPENDED
from rpent_robosmith.training.order import Standing, TrainingResult
from rpent_robosmith.work.api import WorkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.training.order import TrainingOrder

STALL_S = 300.0
"""Without a further step (while nothing is evaluated) a training has hung, however much it says."""
SLOWEST_STEP_S = 0.5
"""A step with its share of the updates: some thirty times what one takes on two cores."""
_SLOWEST_EVALUATED_STEP_S = 0.1
_START_S = 900.0
_USUAL_LENGTH = 1_000
_OVERSHOOT = 1_000_000
"""Steps beyond the ordered ones: on-policy algorithms end with a whole rollout of all environments."""
_DETAIL = 300
_NUMBER_BYTES = 8
_ROWS_SLACK_BYTES = 64 * 2**20


def untold(message: str) -> WorkError:
    """Return the error of a training that told what cannot be."""
    return WorkError(message, kind="protocol")


def most_segments(order: TrainingOrder) -> int:
    """Return how many segments, and evaluations, a training has at most."""
    return 2 * math.ceil(order.total_steps / order.segment_steps) + 2


def most_row_bytes(order: TrainingOrder, facts: EnvFacts) -> int:
    """Return how large all that checkpoints append (a replay buffer) can be: each step twice, in float64."""
    numbers = 2 * input_size(facts.observation) + facts.action.size + 8
    return 2 * order.total_steps * numbers * _NUMBER_BYTES + _ROWS_SLACK_BYTES


def patience_s(order: TrainingOrder, facts: EnvFacts) -> float:
    """Return how long the steps may stand still: policies are compared, and networks updated, between two steps."""
    length = order.entry.max_episode_steps or facts.max_episode_steps or _USUAL_LENGTH
    episodes = 0 if order.selection is None else order.selection.episodes
    return STALL_S + episodes * length * _SLOWEST_EVALUATED_STEP_S


def longest_s(order: TrainingOrder, facts: EnvFacts) -> float:
    """Return how long a training may take where nobody limits it: hours, but not for ever."""
    updates = order.hyperparameters.get("gradient_steps", 1)
    share = max(float(updates), 1.0) if isinstance(updates, int | float) else 1.0
    return (
        _START_S
        + order.total_steps * SLOWEST_STEP_S * share
        + most_segments(order) * patience_s(order, facts)
    )


class Pace:
    """Whether a training gets further; chatter alone is no progress.

    Args:
        most: Steps that it can come to.
        patience: Seconds without a further one.
        clock: Monotonic, in seconds.
    """

    def __init__(self, most: int, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._patience, self._clock = most, patience, clock
        self._steps, self._at = -1, clock()

    def told(self, steps: object) -> None:
        """Note what was told of the steps; what is none of them counts for nothing.

        Raises:
            WorkError: There were none further for too long.
        """
        if type(steps) is int and self._steps < steps <= self._most:
            self._steps, self._at = steps, self._clock()
        elif self._clock() - self._at > self._patience:
            raise WorkError(
                f"The training told of no further step for {self._patience:.0f} s.", kind="timeout"
            )


def most_steps(order: TrainingOrder) -> int:
    """Return the steps that a training can come to."""
    return 2 * order.total_steps + _OVERSHOOT


def point_of(data: object, order: TrainingOrder) -> CurvePoint:
    """Return a point of a learning curve; what a trainer has besides is left out.

    Raises:
        WorkError: It is none.
    """
    try:
        point = CurvePoint.model_validate(data)
    except ValidationError as error:
        raise untold("The training told of an evaluation that is none.") from error
    numbers = (point.progress, point.mean_return, point.reward)
    sound = (
        0 <= point.steps <= most_steps(order)
        and (point.success_rate is None or 0 <= point.success_rate <= 1)
        and all(number is None or math.isfinite(number) for number in numbers)
    )
    if not sound:
        raise untold("The training told of an evaluation that cannot be.")
    return point.model_copy(update={"extra": {}})


def result_of(data: object, order: TrainingOrder) -> TrainingResult:
    """Return how a sealed training says that it ended, its texts one short line; its versions are the owner's matter.

    Raises:
        WorkError: It is no such result, or one that cannot be.
    """
    try:
        result = TrainingResult.model_validate(data)
    except ValidationError as error:
        raise untold("The training's answer is none.") from error
    if not 0 <= result.steps <= most_steps(order):
        raise untold("The training's answer counts steps that cannot be.")
    return result.model_copy(
        update={
            "detail": " ".join(printable(result.detail[: 2 * _DETAIL]).split())[:_DETAIL],
            "standing": _standing(result.standing, order),
            "versions": {},
        }
    )


def _standing(told: Standing, order: TrainingOrder) -> Standing:
    steps = [point.steps for point in told.curve]
    counts = (told.reward_calls, told.reward_errors)
    sound = (
        len(steps) <= most_segments(order)
        and all(earlier <= later for earlier, later in pairwise(steps))
        and (told.best_steps is None or told.best_steps in steps)
        and all(0 <= count < 2**53 for count in counts)
        and told.reward_errors <= told.reward_calls
    )
    if not sound:
        raise untold("The training's answer tells of evaluations that cannot be.")
    curve = tuple(point_of(point.model_dump(), order) for point in told.curve)
    return told.model_copy(update={"curve": curve})


def row_bytes(checkpoint: Mapping[str, Any]) -> int:
    """Return how much a checkpoint appends.

    Raises:
        WorkError: That is not a dict of arrays.
    """
    rows = checkpoint.get(APPENDED) or {}
    if not isinstance(rows, dict) or not all(isinstance(row, np.ndarray) for row in rows.values()):
        raise untold("The training sent a checkpoint that cannot be kept.")
    return sum(row.nbytes for row in rows.values())
