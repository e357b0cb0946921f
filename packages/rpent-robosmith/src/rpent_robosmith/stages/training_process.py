"""One training of one iteration: its worker is started, heard, and started again where it was killed."""

from __future__ import annotations

import json
import math
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import ExitCode, PolicyError, RpentError, UsageError
from rpent.home import expanded

from rpent_robosmith.durable import write_durably
from rpent_robosmith.policy.adopting import adopted
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.reports import CurvePoint, TrainingReport
from rpent_robosmith.training.checkpoints import CheckpointFolder
from rpent_robosmith.training.order import TrainingResult
from rpent_robosmith.training.packing import unpack
from rpent_robosmith.training.telling import (
    Pace,
    longest_s,
    most_row_bytes,
    most_segments,
    most_steps,
    patience_s,
    point_of,
    result_of,
    row_bytes,
    untold,
)
from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.work.requirements import requirements

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.training.choice import Choice
    from rpent_robosmith.training.order import TrainingOrder
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

JOB = "rpent_robosmith.worker.jobs.train:run"
FOLDER, REPORT, POLICY, CHECKPOINTS, CLOCK = (
    "training",
    "training.json",
    "policy",
    "checkpoints",
    "clock.json",
)
SILENCE_S = 180.0
OVERTIME_S = 120.0
"""What a worker may take to end, after it was asked to."""
RESERVE = 0.15
"""Of the run's remaining time, kept for the evaluation and the delivery."""
ATTEMPTS = 3
"""A worker that was killed is started again from its last checkpoint, while it gets further."""


@dataclass(slots=True)
class _Clock:
    """Seconds that a training has taken, over all the processes that worked on it."""

    path: Path
    order: str
    before: float = 0.0
    began: float = 0.0

    def start(self) -> bool:
        """Begin; returns whether checkpoints that lie here are of this training."""
        self.began = time.monotonic()
        try:
            kept = json.loads(self.path.read_text())
            self.before = float(kept["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return bool(kept.get("order") == self.order)

    def used(self) -> float:
        return self.before + time.monotonic() - self.began

    def write(self) -> None:
        write_durably(self.path, json.dumps({"order": self.order, "seconds": round(self.used(), 3)}).encode())


class Training:
    """One training of one iteration."""

    def __init__(self, state: RunState, workshop: Workshop, choice: Choice, order: TrainingOrder) -> None:
        self._state, self._workshop, self._choice, self._order = state, workshop, choice, order
        self._name = f"{FOLDER}/i{state.iteration}-{choice.name}"
        self._folder = workshop.folder / FOLDER / f"i{state.iteration}-{choice.name}"
        self._curve: list[CurvePoint] = []
        self._steps = 0
        self._clock = _Clock(self._folder / CHECKPOINTS / CLOCK, order.fingerprint)
        self._checkpoints = CheckpointFolder(self._folder / CHECKPOINTS)
        self._untrusted = order.reward is not None
        self._sealed = False
        self._versions: dict[str, str] = {}
        self._row_bytes = 0
        self._pace = self._new_pace()

    @property
    def _facts(self) -> EnvFacts:
        if self._state.facts is None:
            raise RpentError("There is nothing to train in: the run has no inspected environment.")
        return self._state.facts

    def _new_pace(self) -> Pace:
        patience = patience_s(self._order, self._facts) if self._untrusted else math.inf
        return Pace(most_steps(self._order), patience)

    def report(self) -> TrainingReport:
        """Train, or return what an interrupted process had already come to."""
        done = self._done()
        if done is not None:
            return done
        self._begin()
        report = self._trained()
        write_durably(self._folder / REPORT, (report.model_dump_json(indent=2) + "\n").encode())
        shutil.rmtree(self._folder / CHECKPOINTS, ignore_errors=True)
        return report

    def _begin(self) -> None:
        folder = self._folder / CHECKPOINTS
        if self._clock.start() and self._checkpoints.mend():
            segment = self._checkpoints.segment
            self._workshop.listener.say(f"The training goes on after its segment {segment}.")
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        self._checkpoints = CheckpointFolder(folder)
        self._clock.before = 0.0
        self._clock.write()

    def _done(self) -> TrainingReport | None:
        try:
            report = TrainingReport.model_validate_json((self._folder / REPORT).read_bytes())
        except (OSError, ValidationError):
            return None
        return report if report.order == self._order.fingerprint else None

    def _trained(self) -> TrainingReport:
        for attempt in range(1, ATTEMPTS + 1):
            begun = self._checkpoints.segment
            self._sealed = False
            try:
                return self._ended(self._workshop.bench.run(self._job(), self._heard))
            except WorkError as error:
                if error.exit_code == ExitCode.USAGE:
                    raise UsageError(error.message, hint=error.hint) from error
                if error.kind != "killed" or self._checkpoints.segment == begun or attempt == ATTEMPTS:
                    return self._failed(error)
                self._workshop.listener.say(f"{error.message} It goes on from its last checkpoint.")
        raise AssertionError

    def _job(self) -> Job:
        seconds = self._seconds()
        checkpoints = str(self._folder / CHECKPOINTS) if self._checkpoints.segment else None
        dataset = None if self._order.dataset is None else str(expanded(self._order.dataset))
        order = self._order.model_copy(
            update={"seconds": seconds, "checkpoints": checkpoints, "dataset_path": dataset}
        )
        assert self._state.entry is not None
        return Job(
            run=JOB,
            params={"order": order.model_dump(mode="json")},
            sealed=order.reward is not None,
            limits=Limits(wall_s=self._wall_s(seconds), silence_s=SILENCE_S),
            label=f"train {self._choice.name}",
            **requirements(self._state.entry, self._choice.trainer).fields(),
        )

    def _wall_s(self, seconds: float | None) -> float | None:
        if seconds is not None:
            return seconds + OVERTIME_S
        return longest_s(self._order, self._facts) if self._untrusted else None

    def _seconds(self) -> float | None:
        """Return the wall clock that is left for it."""
        limits = []
        minutes = self._state.task.budget.training_minutes
        if minutes is not None:
            limits.append(minutes * 60 - self._clock.used())
        left = self._workshop.deadline()
        if left is not None:
            limits.append(left * (1 - RESERVE))
        return max(min(limits), 1.0) if limits else None

    def _heard(self, kind: str, data: Mapping[str, Any]) -> None:
        if kind == "sealed":
            self._sealed, self._pace = True, self._new_pace()
        elif kind == "progress":
            self._progress(data)
        elif kind == "evaluation":
            self._evaluated(data)
        elif kind == "checkpoint":
            self._keep(data)
        elif kind == "ready" and not self._sealed:
            self._versions = {str(name): str(number) for name, number in data.get("versions", {}).items()}
        elif kind == "note" and not self._sealed:
            self._workshop.listener.say(str(data.get("line", ""))[:500])
        if self._sealed:
            self._pace.told(data.get("steps") if kind == "progress" else None)

    def _progress(self, data: Mapping[str, Any]) -> None:
        steps = data.get("steps")
        if type(steps) is int and 0 <= steps <= most_steps(self._order):
            self._steps = max(self._steps, steps)
            self._show(steps)

    def _show(self, steps: int) -> None:
        last = self._curve[-1] if self._curve else None
        note = "" if last is None or last.success_rate is None else f"success {last.success_rate:.0%}"
        self._workshop.listener.progress(f"train {self._choice.name}", steps, self._order.total_steps, note)

    def _evaluated(self, data: Mapping[str, Any]) -> None:
        if len(self._curve) >= most_segments(self._order):
            raise untold("The training told of more evaluations than it has segments.")
        self._curve.append(point_of(data.get("point"), self._order))
        self._show(self._curve[-1].steps)

    def _keep(self, data: Mapping[str, Any]) -> None:
        segment, content = data.get("segment"), data.get("data")
        expected = self._checkpoints.segment + 1
        if type(segment) is not int or segment != expected or not isinstance(content, dict):
            raise untold(
                f"The training sent the checkpoint {str(segment)[:20]!r} where {expected} was expected."
            )
        if self._untrusted:
            self._row_bytes += row_bytes(content)
            too_large = self._row_bytes > most_row_bytes(self._order, self._facts)
            if too_large or segment > most_segments(self._order):
                raise untold("The training sent more, or larger, checkpoints than it can have.")
        try:
            self._checkpoints.write(expected, content)
            self._clock.write()
        except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as error:
            raise untold("The training sent a checkpoint that cannot be kept.") from error

    def _ended(self, answer: Mapping[str, Any]) -> TrainingReport:
        result = self._result(answer.get("result"))
        standing = result.standing
        policy = None
        if result.status != "failed":
            parameters = self._policy(answer.get("policy"), standing.best_steps or result.steps)
            write_policy(self._folder / POLICY, parameters)
            policy = f"{self._name}/{POLICY}"
        return self._reported(
            status=result.status,
            detail=result.detail,
            steps=result.steps,
            best_steps=standing.best_steps if policy is not None else None,
            curve=standing.curve,
            policy=policy,
            reward_errors=standing.reward_errors,
            reward_calls=standing.reward_calls,
            versions=result.versions or self._versions,
        )

    def _result(self, told: object) -> TrainingResult:
        if self._untrusted:
            return result_of(told, self._order)
        try:
            return TrainingResult.model_validate(told)
        except ValidationError as error:
            raise untold("The training's answer is none.") from error

    def _policy(self, told: Any, steps: int) -> PolicyParameters:
        order = self._order
        try:
            if not self._untrusted:
                return unpack(told or {})
            return adopted(
                told,
                entry=order.entry,
                facts=self._facts,
                algorithm=order.algorithm,
                trainer=order.trainer,
                about={"seed": order.seed, "steps": steps},
            )
        except PolicyError as error:
            raise untold("The training's policy cannot be used.") from error

    def _failed(self, error: WorkError) -> TrainingReport:
        return self._reported(
            status="failed",
            detail=error.message,
            failure=error.kind,
            steps=self._steps,
            curve=tuple(self._curve),
            versions=self._versions,
        )

    def _reported(self, **fields: Any) -> TrainingReport:
        order, reward = self._order, self._state.reward
        return TrainingReport(
            iteration=self._state.iteration,
            algorithm=order.algorithm,
            trainer=order.trainer,
            seed=order.seed,
            reward=reward.id if reward is not None and order.reward is not None else None,
            hyperparameters={
                **order.hyperparameters,
                "n_envs": order.n_envs,
                "normalize_observations": order.normalize_observations,
                "normalize_rewards": order.normalize_rewards,
                "total_steps": order.total_steps,
                "segment_steps": order.segment_steps,
            },
            order=order.fingerprint,
            **fields,
        )
