"""Training: chooses the algorithm, runs the job, keeps its checkpoints, and goes on where it was interrupted.

Files, below the run directory: `training/i1-sac/policy/` (the best policy), `training.json` (the report, once it is
over), and `checkpoints/` while it goes on.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import ExitCode, PolicyError, RpentError, UsageError
from rpent.home import expanded

from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.reports import CurvePoint, TrainingReport
from rpent_robosmith.training.checkpoints import CheckpointFolder
from rpent_robosmith.training.choice import Choice, choose, named
from rpent_robosmith.training.order import TrainingResult
from rpent_robosmith.training.packing import unpack
from rpent_robosmith.training.plan import order_for
from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.work.requirements import requirements

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_robosmith.policy.format import PolicyParameters
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


def run(state: RunState, workshop: Workshop) -> RunState:
    """Train with the state's reward.

    Raises:
        UsageError: The algorithm or a hyperparameter is not accepted.
        EnvironmentSetupError: The trainer is not installed.
        RunDirectoryError: A checkpoint cannot be written.
    """
    choice = chosen(state)
    order = _order(state, choice)
    repeated = _repeated(state, order)
    if repeated is not None:
        workshop.listener.say(
            f"The same reward, algorithm and seed were trained in iteration {repeated.iteration}; that is not repeated."
        )
        report = repeated.model_copy(update={"iteration": state.iteration})
    else:
        report = _Training(state, workshop, choice, order).report()
        workshop.listener.say(told(report))
    return state.model_copy(update={"algorithm": choice.name, "trainings": (*state.trainings, report)})


def chosen(state: RunState) -> Choice:
    """Return the algorithm of the next training: the one that was switched to, else the task's, else what fits.

    Raises:
        UsageError: It does not fit, or nothing does.
        EnvironmentSetupError: It is not installed.
    """
    entry = state.entry
    if entry is None:
        raise RpentError("There is nothing to train in: the run has no environment.")
    action = state.facts.action if state.facts is not None else None
    python = state.options.get("python")
    if state.algorithm is not None and _fits(state):
        return named(state.algorithm, state.task, entry, action, python=python)
    return choose(state.task, entry, action, python=python)


def told(report: TrainingReport) -> str:
    """Return a training in one sentence."""
    ended = {
        "finished": "ended",
        "early_stopped": "ended early",
        "time_limit": "ran out of time",
        "failed": "failed",
    }[report.status]
    detail = f" ({report.detail.rstrip('.')})" if report.detail else ""
    best = next((point for point in report.curve if point.steps == report.best_steps), None)
    success = "" if best is None or best.success_rate is None else f"; best {best.success_rate:.0%} success"
    at = "" if not success else f" after {best.steps if best else 0} steps"
    return f"`{report.algorithm}` {ended} after {report.steps} steps{detail}{success}{at}."


def _fits(state: RunState) -> bool:
    """Whether the state's algorithm can still be used: an adjusted environment may have other actions."""
    from rpent_robosmith.training.choice import algorithms  # noqa: PLC0415

    known = algorithms().get(state.algorithm or "")
    if known is None or state.facts is None:
        return known is not None
    return state.facts.action.kind in known.algorithm.action_spaces


def _order(state: RunState, choice: Choice) -> TrainingOrder:
    assert state.entry is not None
    first = not state.trainings or state.trainings[0].algorithm == choice.name
    reward = state.reward.code if state.reward is not None and choice.algorithm.paradigm == "rl" else None
    return order_for(state.task, state.entry, choice, reward=reward, first=first)


def _repeated(state: RunState, order: TrainingOrder) -> TrainingReport | None:
    same = (
        training
        for training in state.trainings
        if training.order == order.fingerprint and training.status in {"finished", "early_stopped"}
    )
    return next(same, None)


def _policy(answer: Mapping[str, Any]) -> PolicyParameters:
    try:
        return unpack(answer["policy"] or {})
    except (PolicyError, KeyError) as error:
        raise WorkError("The training's policy cannot be used.", kind="protocol") from error


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
        temporary = self.path.with_name(f".{self.path.name}.new")
        temporary.write_text(json.dumps({"order": self.order, "seconds": round(self.used(), 3)}))
        temporary.replace(self.path)


class _Training:
    """One training of one iteration."""

    def __init__(self, state: RunState, workshop: Workshop, choice: Choice, order: TrainingOrder) -> None:
        self._state, self._workshop, self._choice, self._order = state, workshop, choice, order
        self._name = f"{FOLDER}/i{state.iteration}-{choice.name}"
        self._folder = workshop.folder / FOLDER / f"i{state.iteration}-{choice.name}"
        self._curve: list[CurvePoint] = []
        self._steps = 0
        self._clock = _Clock(self._folder / CHECKPOINTS / CLOCK, order.fingerprint)
        self._checkpoints = CheckpointFolder(self._folder / CHECKPOINTS)

    def report(self) -> TrainingReport:
        """Train, or return what an interrupted process had already come to."""
        done = self._done()
        if done is not None:
            return done
        self._begin()
        report = self._trained()
        temporary = self._folder / f".{REPORT}.new"
        temporary.write_text(report.model_dump_json(indent=2) + "\n")
        temporary.replace(self._folder / REPORT)
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
            limits=Limits(
                wall_s=None if seconds is None else seconds + OVERTIME_S,
                silence_s=SILENCE_S,
            ),
            label=f"train {self._choice.name}",
            **requirements(self._state.entry, self._choice.trainer).fields(),
        )

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
        if kind == "progress":
            self._progress(data)
        elif kind == "evaluation":
            self._evaluated(data)
        elif kind == "checkpoint":
            self._keep(data)
        elif kind == "note":
            self._workshop.listener.say(str(data.get("line", ""))[:500])

    def _progress(self, data: Mapping[str, Any]) -> None:
        steps = data.get("steps")
        if isinstance(steps, int) and not isinstance(steps, bool):
            self._steps = max(self._steps, min(steps, 2**53))
            last = self._curve[-1] if self._curve else None
            note = "" if last is None or last.success_rate is None else f"success {last.success_rate:.0%}"
            self._workshop.listener.progress(
                f"train {self._choice.name}", steps, self._order.total_steps, note
            )

    def _evaluated(self, data: Mapping[str, Any]) -> None:
        try:
            self._curve.append(CurvePoint.model_validate(data.get("point")))
        except ValidationError:  # a process with a foreign reward in it may say anything
            return

    def _keep(self, data: Mapping[str, Any]) -> None:
        segment, content = data.get("segment"), data.get("data")
        expected = self._checkpoints.segment + 1
        if segment != expected or not isinstance(content, dict):
            raise WorkError(
                f"The training sent the checkpoint {str(segment)[:20]!r} where {expected} was expected.",
                kind="protocol",
            )
        try:
            self._checkpoints.write(expected, content)
            self._clock.write()
        except (TypeError, ValueError, AttributeError) as error:
            raise WorkError("The training sent a checkpoint that cannot be kept.", kind="protocol") from error

    def _ended(self, answer: Mapping[str, Any]) -> TrainingReport:
        try:
            result = TrainingResult.model_validate(answer.get("result"))
        except ValidationError as error:
            raise WorkError("The training's answer is none.", kind="protocol") from error
        policy = None
        if result.status != "failed":
            write_policy(self._folder / POLICY, _policy(answer))
            policy = f"{self._name}/{POLICY}"
        standing = result.standing
        return self._reported(
            status=result.status,
            detail=result.detail,
            steps=result.steps,
            best_steps=standing.best_steps if policy is not None else None,
            curve=standing.curve,
            policy=policy,
            reward_errors=standing.reward_errors,
            reward_calls=standing.reward_calls,
            versions=result.versions,
        )

    def _failed(self, error: WorkError) -> TrainingReport:
        return self._reported(
            status="failed", detail=error.message, steps=self._steps, curve=tuple(self._curve)
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
