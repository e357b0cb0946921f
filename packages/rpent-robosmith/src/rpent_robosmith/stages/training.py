"""Training: chooses the algorithm, runs the job, keeps its checkpoints, and goes on where it was interrupted.

Files, below the run directory: `training/i1-sac/policy/` (the best policy), `training.json` (the report, once it is
over), and `checkpoints/` while it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import RpentError

from rpent_robosmith.stages.training_process import Training
from rpent_robosmith.training.choice import Choice, choose, named
from rpent_robosmith.training.plan import order_for

if TYPE_CHECKING:
    from rpent_robosmith.reports import TrainingReport
    from rpent_robosmith.training.order import TrainingOrder
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop


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
        report = Training(state, workshop, choice, order).report()
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
