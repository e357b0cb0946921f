"""Two runs side by side: what differs in how they were made, and what the evaluations can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.data import Data
from rpent_robosmith.delivery.chosen import reward_of, training_of, verdict_of

if TYPE_CHECKING:
    from rpent_robosmith.reports import EvaluationReport
    from rpent_robosmith.workflow.state import RunState

_BETTER = {"success_rate": "higher", "error_rate": "lower", "mean_return": "higher"}


class Fact(Data):
    """What two runs were made with."""

    name: str
    first: str
    second: str


class Value(Data):
    """A metric of one run."""

    value: float
    low: float | None = None
    high: float | None = None


class MetricRow(Data):
    """A metric of both."""

    metric: str
    first: Value | None
    second: Value | None
    difference: float | None = None
    """Second minus first."""
    told_apart: bool = False
    """Whether the intervals do not overlap."""
    finding: str = ""
    """`better`, `worse` (the second, where the metric has a better side), `higher`, `lower`, `no difference shown`."""


class Comparison(Data):
    """Two runs."""

    first: str
    second: str
    facts: tuple[Fact, ...]
    metrics: tuple[MetricRow, ...]
    caveats: tuple[str, ...] = ()


def compare(first: RunState, second: RunState) -> Comparison:
    """Compare the delivered policies of two runs."""
    reports = [verdict.trained if (verdict := verdict_of(state)) else None for state in (first, second)]
    names = list(dict.fromkeys(name for report in reports if report for name in report.metrics))
    return Comparison(
        first=first.run_id,
        second=second.run_id,
        facts=tuple(
            Fact(name=name, first=a, second=b)
            for (name, a), (_, b) in zip(_facts(first), _facts(second), strict=True)
        ),
        metrics=tuple(
            _row(
                name,
                reports[0],
                reports[1],
                _better(name, first, second),
                comparable=_comparable(first, second),
            )
            for name in names
        ),
        caveats=_caveats(first, second),
    )


def _facts(state: RunState) -> list[tuple[str, str]]:
    training, reward, verdict = training_of(state), reward_of(state), verdict_of(state)
    return [
        ("status", state.status),
        ("environment", state.entry.id if state.entry else "–"),
        ("algorithm", training.algorithm if training else "–"),
        ("steps", str(training.steps) if training else "–"),
        ("reward", reward.origin if reward else "–"),
        ("seed", str(state.task.seed)),
        ("iterations", str(len(state.verdicts))),
        ("accepted", "yes" if verdict and verdict.accepted else "no"),
    ]


def _better(name: str, first: RunState, second: RunState) -> str | None:
    if name in _BETTER:
        return _BETTER[name]
    sides = {
        state.entry.measures[name.removeprefix("mean_")].better
        for state in (first, second)
        if state.entry and name.removeprefix("mean_") in state.entry.measures
    }
    return sides.pop() if len(sides) == 1 else None


def _row(
    name: str,
    first: EvaluationReport | None,
    second: EvaluationReport | None,
    better: str | None,
    *,
    comparable: bool,
) -> MetricRow:
    a, b = _value(first, name), _value(second, name)
    if a is None or b is None:
        return MetricRow(metric=name, first=a, second=b, finding="in one of them only")
    difference = b.value - a.value
    apart = None not in (a.low, a.high, b.low, b.high) and (a.high < b.low or b.high < a.low)  # type: ignore[operator]
    finding = "no difference shown"
    if not comparable:
        finding = "of two environments"
    elif apart:
        side = "higher" if difference > 0 else "lower"
        finding = side if better is None else "better" if side == better else "worse"
    return MetricRow(metric=name, first=a, second=b, difference=difference, told_apart=apart, finding=finding)


def _value(report: EvaluationReport | None, name: str) -> Value | None:
    if report is None or name not in report.metrics:
        return None
    interval = report.intervals.get(name)
    return Value(
        value=report.metrics[name],
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def _comparable(first: RunState, second: RunState) -> bool:
    return first.entry is None or second.entry is None or first.entry.id == second.entry.id


def _caveats(first: RunState, second: RunState) -> tuple[str, ...]:
    said = []
    if not _comparable(first, second):
        said.append("The runs are in two environments: their numbers do not measure the same thing.")
    for state in (first, second):
        if verdict_of(state) is None:
            said.append(f"`{state.run_id}` has evaluated no policy.")
    return tuple(said)
