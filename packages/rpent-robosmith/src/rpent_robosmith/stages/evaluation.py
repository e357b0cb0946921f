"""The policy of an iteration on seeds that neither trained nor chose it, beside policies that know nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import RpentError

from rpent_robosmith.evaluation.baselines import BASELINES
from rpent_robosmith.evaluation.running import evaluate
from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import best_of, check_metrics, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.reports import EpisodeRecord, EvaluationReport, Verdict
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

TRAINED = "trained"


def run(state: RunState, workshop: Workshop) -> RunState:
    """Evaluate the last training's policy and judge it.

    A training without a policy is judged as well: as one that showed nothing. The baselines of an environment are run
    once in a run, since neither they nor the seeds change.

    Raises:
        RpentError: The evaluation cannot be run; that is never taken for a verdict.
    """
    if state.entry is None or not state.trainings:
        raise RpentError("There is nothing to evaluate: the run has no training.")
    entry, training = state.entry, state.trainings[-1]
    check_metrics(state.task, entry)
    known = {report.policy: report for report in _earlier_baselines(state)}
    policies = {name: name for name in BASELINES if name not in known}
    if training.policy is not None:
        policies[TRAINED] = str(workshop.folder / training.policy)
    reports = known | _evaluated(state, workshop, entry, policies)
    trained = reports.get(TRAINED) or _summary(state, TRAINED, (), entry)
    verdict = judge(state.task, trained, [reports[name] for name in BASELINES])
    if training.policy is None:
        reason = training.detail or "no reason is known"
        verdict = verdict.model_copy(
            update={
                "accepted": False,
                "reasons": (f"The training left no policy: {reason.rstrip('.')}.", *verdict.reasons),
            }
        )
    for reason in verdict.reasons:
        workshop.listener.say(reason)
    verdicts = (*state.verdicts, verdict)
    return state.model_copy(update={"verdicts": verdicts, "best_iteration": _best(state, verdicts, entry)})


def first_iteration_here(state: RunState) -> int:
    """Return the first iteration in the present environment."""
    changes = [
        number
        for number, decision in enumerate(state.decisions, start=1)
        if decision.kind == "adjust_environment"
    ]
    return changes[-1] + 1 if changes else 1


def _earlier_baselines(state: RunState) -> tuple[EvaluationReport, ...]:
    here = state.verdicts[first_iteration_here(state) - 1 :]
    return here[-1].baselines if here else ()


def _best(state: RunState, verdicts: Sequence[Verdict], entry: EnvEntry) -> int | None:
    """Return the best iteration of those in the present environment that left a policy."""
    first = first_iteration_here(state)
    left = {training.iteration for training in state.trainings if training.policy is not None}
    return best_of(
        {
            number: verdict
            for number, verdict in enumerate(verdicts, start=1)
            if number >= first and number in left
        },
        entry,
    )


def _evaluated(
    state: RunState, workshop: Workshop, entry: EnvEntry, policies: dict[str, str]
) -> dict[str, EvaluationReport]:
    plan = state.task.evaluation
    seeds = range(plan.first_seed, plan.first_seed + plan.episodes)

    done_of: dict[str, int] = {}

    def progress(name: str, done: int, total: int) -> None:
        done_of[name] = done
        workshop.listener.progress("evaluate", sum(done_of.values()), total * len(policies), name)

    episodes = evaluate(workshop.bench, entry, policies, seeds, progress=progress)
    return {name: _summary(state, name, records, entry) for name, records in episodes.items()}


def _summary(
    state: RunState, name: str, records: Sequence[EpisodeRecord], entry: EnvEntry
) -> EvaluationReport:
    confidence = state.task.evaluation.confidence
    return summarise(name, records, measures=entry.measures, confidence=confidence)
