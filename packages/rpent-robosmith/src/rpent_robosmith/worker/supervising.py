"""What a training tells, to whom, and when it is enough: the callbacks of the training job."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.reports import CurvePoint
from rpent_robosmith.training.order import Standing
from rpent_robosmith.training.packing import pack, unpack
from rpent_robosmith.worker.api import TrainingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.training.order import TrainingOrder
    from rpent_robosmith.worker.api import JobContext
    from rpent_robosmith.worker.rewarding import Rewarding
    from rpent_robosmith.worker.selecting import Judge

_TELL_S = 0.5


class Supervisor:
    """Evaluates and checkpoints after each segment, keeps the best policy, watches the clock.

    Args:
        order: What was ordered.
        context: Hears of it.
        judge: Compares policies; None keeps the last one.
        rewarding: Counts the candidate's errors and the episodes' totals.
        saved: The checkpoint that is gone on from, without the trainer's part.
    """

    def __init__(
        self,
        order: TrainingOrder,
        context: JobContext,
        judge: Judge | None,
        rewarding: Rewarding,
        saved: Mapping[str, Any] | None,
    ) -> None:
        self._order, self._context, self._judge, self._rewarding = order, context, judge, rewarding
        self._deadline = None if order.seconds is None else time.monotonic() + order.seconds
        self._told = -math.inf
        self.standing = Standing()
        self.policy: PolicyParameters | None = None
        self.segment = self.steps = 0
        self.ended_by = ""
        self.out_of_time = self.changed = False
        self._last: Mapping[str, NDArray[np.generic]] | None = None
        if saved is not None:
            self._restore(saved)

    def progress(self, steps: int, **numbers: float) -> None:
        """Tell how far it is; at most twice a second."""
        self.steps = steps
        now = time.monotonic()
        if now - self._told >= _TELL_S:
            self._told = now
            finite = {name: float(value) for name, value in numbers.items() if math.isfinite(value)}
            self._context.tell("progress", steps=steps, total=self._order.total_steps, numbers=finite)

    def stopping(self) -> bool:
        """Whether the time is over, or the owner wants it to end."""
        if not self.out_of_time:
            late = self._deadline is not None and time.monotonic() >= self._deadline
            self.out_of_time = late or self._context.stopping()
        return self.out_of_time

    def segment_done(
        self, steps: int, policy: PolicyParameters, save: Callable[[], Mapping[str, Any]]
    ) -> bool:
        """Evaluate the policy, keep it where it is the best so far, and checkpoint; returns whether to go on."""
        self.steps = steps
        self.segment += 1
        self._notice_change(policy)
        better = self._evaluate(steps, policy)
        if better or self._judge is None or self.policy is None:
            self.policy = policy
        if self.stopping():
            self.ended_by = "the time was over"
        elif self._judge is not None and steps < self._order.total_steps:
            self.ended_by = self._judge.enough(self.standing, steps, self._order.total_steps)
        go_on = not self.ended_by
        if go_on and self._order.keep_checkpoints:
            self._checkpoint(save())
        return go_on

    def require_learned(self) -> None:
        """Refuse a training whose policy never changed.

        Raises:
            TrainingError: All of its policies are the same one.
        """
        if self.segment > 1 and not self.changed:
            raise TrainingError("The training changed nothing: its first and last policies are the same.")

    def counted(self) -> Standing:
        """Return the standing with the reward's calls and errors, those of earlier sessions included."""
        return self.standing.model_copy(update=self._rewarding.counts())

    def _evaluate(self, steps: int, policy: PolicyParameters) -> bool:
        numbers: dict[str, Any] = {"reward": self._rewarding.mean_total(), "extra": {}}
        if self._judge is None:
            point = CurvePoint(steps=steps, **numbers)
            better = True
        else:
            metrics = self._judge.evaluate(policy, lambda: self.progress(steps))
            point = self._judge.point(steps, metrics, **numbers)
            before = self.standing.best_steps
            self.standing = self._judge.updated(self.standing, steps, metrics)
            better = self.standing.best_steps != before
        self.standing = self.standing.model_copy(update={"curve": (*self.standing.curve, point)})
        self._context.tell("evaluation", point=point.model_dump(mode="json"), better=better)
        return better

    def _notice_change(self, policy: PolicyParameters) -> None:
        last = self._last
        if last is not None and not self.changed:
            self.changed = any(
                not np.array_equal(last[name], weight) for name, weight in policy.weights.items()
            )
        self._last = policy.weights

    def _checkpoint(self, trainer: Mapping[str, Any]) -> None:
        body = {key: value for key, value in trainer.items() if key not in {"appended", "keep_rows"}}
        data: dict[str, Any] = {
            "order": self._order.fingerprint,
            "trainer": body,
            "standing": self.counted().model_dump(mode="json"),
            "steps": self.steps,
            "changed": self.changed,
            "policy": None if self.policy is None else pack(self.policy),
        }
        for key in ("appended", "keep_rows"):
            if key in trainer:
                data[key] = trainer[key]
        self._context.tell("checkpoint", segment=self.segment, data=data)

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self.standing = Standing.model_validate(saved["standing"])
        self._rewarding.go_on(self.standing.reward_calls, self.standing.reward_errors)
        self.segment, self.steps = int(saved["segment"]), int(saved["steps"])
        self.changed = bool(saved["changed"])
        self.policy = None if saved["policy"] is None else unpack(saved["policy"])
