"""An evaluation against its task: criteria, safety limits, baselines, and the reasons in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.reports import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.reports import EvaluationReport
    from rpent_robosmith.task import Criterion, TaskSpec

_RATES = ("success_rate", "error_rate")
_ROUNDING = 1e-9


def check_metrics(task: TaskSpec, entry: EnvEntry) -> None:
    """Refuse criteria and safety limits that no evaluation of this environment can decide.

    Called as soon as the environment is known: by intake where the user stated it, else by the environment stage.

    Raises:
        UsageError: A metric is unknown, a threshold is not finite, or no rate can meet it.
    """
    for option, criteria in (("--criterion", task.criteria), ("--safety", task.safety)):
        for criterion in criteria:
            if criterion.metric not in entry.metrics:
                raise UsageError(
                    f"`{entry.id}` has no metric `{criterion.metric}` for `{option}`"
                    f"{_meant(criterion.metric, entry)}",
                    hint=f"Its metrics are {listing(entry.metrics)}.",
                )
            _check_threshold(criterion, option)
    _check_together((*task.criteria, *task.safety))


def _check_together(criteria: Sequence[Criterion]) -> None:
    """Refuse two of them that no value can meet together."""
    for lower in (item for item in criteria if item.operator in {">=", ">"}):
        for upper in criteria:
            if upper.metric != lower.metric or upper.operator not in {"<=", "<"}:
                continue
            both = lower.operator == ">=" and upper.operator == "<="
            if lower.threshold > upper.threshold or (lower.threshold == upper.threshold and not both):
                raise UsageError(
                    f"`{lower}` and `{upper}` cannot hold together.", hint="Leave out one of the two."
                )


def _meant(metric: str, entry: EnvEntry) -> str:
    if f"mean_{metric}" in entry.metrics:
        return f"; did you mean `mean_{metric}`?"
    return did_you_mean(metric, entry.metrics)


def _check_threshold(criterion: Criterion, option: str) -> None:
    if not math.isfinite(criterion.threshold):
        raise UsageError(f"`{criterion}` of `{option}` has no finite threshold.")
    if criterion.metric in _RATES and not (criterion.holds(0.0) or criterion.holds(1.0)):
        raise UsageError(
            f"`{criterion}` of `{option}` can never hold, since `{criterion.metric}` lies between 0 and 1.",
            hint="Write 90 % as `0.9`.",
        )


def judge(task: TaskSpec, trained: EvaluationReport, baselines: Sequence[EvaluationReport]) -> Verdict:
    """Hold an evaluation against its task.

    A policy is accepted where every criterion and every safety limit holds, no episode crashed (unless a criterion
    says how many may), and its success rate exceeds that of the best baseline by the task's margin.

    Args:
        task: Criteria, safety limits, margin.
        trained: The trained policy's evaluation.
        baselines: Of the same seeds: `random`, `zero`.
    """
    criteria = {str(item): item.holds(_value(trained, item)) for item in task.criteria}
    safety = {str(item): item.holds(_value(trained, item)) for item in task.safety}
    beats, comparison = _compare(trained, baselines, task.margin)
    crashes = _crashes(task, trained)
    accepted = all(criteria.values()) and all(safety.values()) and beats and crashes is None
    reasons = [
        *(_sentence(item, trained, limit=False) for item in task.criteria),
        *(_sentence(item, trained, limit=True) for item in task.safety),
        comparison,
        *([crashes] if crashes else []),
    ]
    return Verdict(
        accepted=accepted,
        trained=trained,
        baselines=tuple(baselines),
        criteria=criteria,
        safety=safety,
        margin=task.margin,
        beats_baselines=beats,
        reasons=tuple(reasons),
    )


def standing(verdict: Verdict, entry: EnvEntry) -> tuple[bool, float, float]:
    """Return what the iterations of a run are ordered by: accepted, success rate, progress (higher is better)."""
    return verdict.accepted, *report_standing(verdict.trained.metrics, entry)


def report_standing(metrics: dict[str, float], entry: EnvEntry) -> tuple[float, float]:
    """Return (success rate, progress), where higher is better and what is not known is the worst."""
    return _known(metrics.get("success_rate")), _known(signed_progress(metrics, entry))


def signed_progress(metrics: dict[str, float], entry: EnvEntry) -> float | None:
    """Return the mean of the entry's `progress` measure, its sign turned where lower is better; None: not known."""
    value = metrics.get(f"mean_{entry.progress}")
    if value is None or math.isnan(value):
        return None
    measure = entry.measures.get(entry.progress)
    return -value if measure is not None and measure.better == "lower" else value


def best_of(verdicts: Mapping[int, Verdict], entry: EnvEntry) -> int | None:
    """Return the number of the best iteration, the earlier one of two equals; None where there is none.

    Args:
        verdicts: By iteration.
        entry: Says which measure is progress.
    """
    return max(sorted(verdicts), key=lambda number: standing(verdicts[number], entry), default=None)


def _known(value: float | None) -> float:
    return -math.inf if value is None or math.isnan(value) else value


def _value(report: EvaluationReport, criterion: Criterion) -> float:
    return report.metrics.get(criterion.metric, math.nan)


def _sentence(criterion: Criterion, report: EvaluationReport, *, limit: bool) -> str:
    value = _value(report, criterion)
    kind = "safety limit" if limit else "criterion"
    if math.isnan(value):
        return f"The {kind} `{criterion}` does not hold: `{criterion.metric}` could not be measured."
    verb = "holds" if criterion.holds(value) else "does not hold"
    return f"The {kind} `{criterion}` {verb}: {_shown(report, criterion.metric)}."


def _shown(report: EvaluationReport, metric: str) -> str:
    interval = report.intervals.get(metric)
    value = f"{report.metrics[metric]:.4g}"
    if interval is None:
        return value
    return f"{value} ({report.confidence * 100:g} % interval {interval.low:.4g} to {interval.high:.4g})"


def _crashes(task: TaskSpec, report: EvaluationReport) -> str | None:
    crashed = sum(bool(episode.error) for episode in report.episodes)
    total = len(report.episodes)
    if not total:
        return "No episode was evaluated."
    if crashed == total:
        return f"Every one of {total} episodes crashed: {report.episodes[0].error}"
    if not crashed or any(item.metric == "error_rate" for item in (*task.criteria, *task.safety)):
        return None
    first = next(episode for episode in report.episodes if episode.error)
    return f"{crashed} of {total} episodes crashed, the first one at seed {first.seed}: {first.error}"


def _compare(
    trained: EvaluationReport, baselines: Sequence[EvaluationReport], margin: float
) -> tuple[bool, str]:
    rates = {report.policy: rate for report in baselines if (rate := _baseline_rate(report)) is not None}
    if not rates:
        return False, "It is not accepted without a baseline, and none could be measured."
    if missing := sorted(report.policy for report in baselines if report.policy not in rates):
        return False, f"The baseline {listing(missing)} could not be measured: every episode crashed."
    best = max(sorted(rates), key=lambda name: rates[name])
    rate = trained.metrics.get("success_rate", math.nan)
    beats = rate > rates[best] and rate >= rates[best] + margin - _ROUNDING
    if rates[best] + margin > 1 + _ROUNDING or rates[best] >= 1:
        return beats, (
            f"The `{best}` policy succeeds in {rates[best]:.0%} of the episodes already, so nothing can beat it by "
            f"{margin:.0%}: success there needs a stricter definition, or the margin must be smaller."
        )
    verb = "beats" if beats else "does not beat"
    return beats, (
        f"It {verb} the best baseline (`{best}`, {rates[best]:.0%}) by the margin of {margin:.0%}: it succeeds in "
        f"{'an unknown share' if math.isnan(rate) else f'{rate:.0%}'} of the episodes."
    )


def _baseline_rate(report: EvaluationReport) -> float | None:
    """Return a baseline's success rate over its sound episodes: crashes of a baseline do not lower the bar."""
    sound = [episode for episode in report.episodes if not episode.error]
    return sum(episode.success for episode in sound) / len(sound) if sound else None
