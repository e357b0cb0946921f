"""Two datasets against each other: what differs, by how much, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_robosmith.data import Data
from rpent_robosmith.diagnose.records import SCHEMA_VERSION
from rpent_robosmith.diagnose.significance import (
    bootstrap_difference,
    distance_of_distributions,
    holm,
    permutation_p,
    rate_difference,
)
from rpent_robosmith.reports import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from rpent_robosmith.diagnose.analysis import Analysis
    from rpent_robosmith.diagnose.columns import Column
    from rpent_robosmith.diagnose.records import DatasetReport, EpisodeRow

LEVEL = 0.05
MAX_EPISODES = 4_000
"""Of each dataset that are compared; more are thinned out evenly."""
MAX_NUMBERS = 256
"""Of one vector that are compared."""


class Quantity(Data):
    """A value an episode, in both datasets."""

    name: str
    unit: str = ""
    better: Literal["higher", "lower", "neither"]
    a: float
    b: float
    difference: float
    """b - a."""
    interval: Interval | None
    """95 %: Newcombe's for a rate, a bootstrap over episodes otherwise."""
    p: float
    """Permutations of whole episodes."""
    p_corrected: float
    """For the number of quantities (Holm)."""
    significant: bool


class Distribution(Data):
    """One number of the action or state over all steps, in both datasets."""

    vector: str
    name: str
    mean_a: float
    mean_b: float
    std_a: float
    std_b: float
    distance: float
    """Kolmogorov-Smirnov: the greatest difference of the distribution functions, 0 to 1."""
    p: float
    p_corrected: float
    """For the numbers of this vector (Holm)."""
    significant: bool


class Comparison(Data):
    """What an analysis of two datasets finds."""

    version: int = SCHEMA_VERSION
    a: str
    b: str
    episodes_a: int
    episodes_b: int
    level: float = LEVEL
    quantities: tuple[Quantity, ...]
    distributions: tuple[Distribution, ...]
    degradations: tuple[str, ...]
    """Sentences: in what B is worse than A, beyond chance, the largest first; none where there is nothing."""
    improvements: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What could not be compared, and why."""


_Better = Literal["higher", "lower", "neither"]
_QUANTITIES: tuple[tuple[str, str, _Better, Callable[[EpisodeRow], float | None]], ...] = (
    ("success rate", "", "higher", lambda row: None if row.success is None else float(row.success)),
    ("return", "", "higher", lambda row: row.total),
    ("length", "steps", "neither", lambda row: float(row.length)),
    ("saturation", "of the steps", "lower", lambda row: row.saturation),
    ("jerk", "of the range per step³", "lower", lambda row: row.jerk),
    ("idle", "of the steps", "lower", lambda row: row.idle),
)


def compare(a: Analysis, b: Analysis) -> Comparison:
    """Compare two analyses; A is the one that B is measured by."""
    rows_a, rows_b = _thinned(a.report.rows), _thinned(b.report.rows)
    notes = _notes(a.report, b.report)
    quantities = _quantities(rows_a, rows_b)
    distributions = _distributions(a, b, notes)
    judged = [each for each in quantities if each.significant and each.better != "neither"]
    if _alien(a.report, b.report):
        judged = []
        notes.append("They are of different environments or actions: nothing is called better or worse.")
    worse = [each for each in judged if _is_worse(each)]
    better = [each for each in judged if not _is_worse(each)]
    return Comparison(
        a=a.report.source,
        b=b.report.source,
        episodes_a=len(a.report.rows),
        episodes_b=len(b.report.rows),
        quantities=tuple(quantities),
        distributions=tuple(distributions),
        degradations=tuple(_sentence(each, "worse") for each in _largest_first(worse)),
        improvements=tuple(_sentence(each, "better") for each in _largest_first(better)),
        notes=tuple(notes),
    )


def _thinned(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    return list(rows[:: -(-len(rows) // MAX_EPISODES)]) if rows else []


def _notes(a: DatasetReport, b: DatasetReport) -> list[str]:
    notes = []
    for report in (a, b):
        if report.success_rate is None:
            notes.append(f"`{report.source}` does not say which episodes succeeded: success is not compared.")
        if report.saturation is None:
            notes.append(f"The bounds of `{report.source}` are unknown: saturation is not compared.")
        if len(report.rows) > MAX_EPISODES:
            notes.append(f"Of `{report.source}` an even part of at most {MAX_EPISODES} episodes is compared.")
    if a.fps != b.fps:
        notes.append(f"The rates differ ({_rate(a)} and {_rate(b)}): lengths and jerk are per step.")
    return notes


def _alien(a: DatasetReport, b: DatasetReport) -> bool:
    """Whether better and worse mean nothing, because the datasets are of different things."""
    elsewhere = bool(a.environment and b.environment) and a.environment != b.environment
    return elsewhere or len(a.actions) != len(b.actions)


def _rate(report: DatasetReport) -> str:
    return "unknown" if report.fps is None else f"{report.fps:g} Hz"


def _quantities(rows_a: Sequence[EpisodeRow], rows_b: Sequence[EpisodeRow]) -> list[Quantity]:
    found = []
    for name, unit, better, read in _QUANTITIES:
        a, b = _values(rows_a, read), _values(rows_b, read)
        if len(a) and len(b):
            found.append(_quantity(name, unit, better, a, b))
    corrected = holm([each.p for each in found])
    return [
        each.model_copy(update={"p_corrected": p, "significant": p < LEVEL})
        for each, p in zip(found, corrected, strict=True)
    ]


def _values(rows: Sequence[EpisodeRow], read: Callable[[EpisodeRow], float | None]) -> NDArray[np.float64]:
    return np.array([value for row in rows if (value := read(row)) is not None], np.float64)


def _quantity(
    name: str, unit: str, better: _Better, a: NDArray[np.float64], b: NDArray[np.float64]
) -> Quantity:
    if name == "success rate":
        interval: tuple[float, float] | None = rate_difference(int(a.sum()), len(a), int(b.sum()), len(b))
    else:
        interval = bootstrap_difference(a, b)
    return Quantity(
        name=name,
        unit=unit,
        better=better,
        a=float(a.mean()),
        b=float(b.mean()),
        difference=float(b.mean() - a.mean()),
        interval=None if interval is None else Interval(low=interval[0], high=interval[1]),
        p=permutation_p(a, b),
        p_corrected=1.0,
        significant=False,
    )


def _is_worse(each: Quantity) -> bool:
    return (each.better == "higher" and each.difference < 0) or (
        each.better == "lower" and each.difference > 0
    )


def _largest_first(quantities: Sequence[Quantity]) -> list[Quantity]:
    """Sort by the difference relative to what it was; success before all else."""

    def size(each: Quantity) -> tuple[bool, float]:
        return each.name != "success rate", -abs(each.difference) / max(abs(each.a), abs(each.b), 1e-12)

    return sorted(quantities, key=size)


def _sentence(each: Quantity, word: str) -> str:
    interval = each.interval
    between = "" if interval is None else f", 95 % interval {interval.low:+.4g} to {interval.high:+.4g}"
    unit = f" {each.unit}" if each.unit else ""
    return (
        f"The {each.name} is {word}: {each.b:.4g} instead of {each.a:.4g}{unit} "
        f"({each.difference:+.4g}{between}; corrected p {each.p_corrected:.2g})."
    )


def _distributions(a: Analysis, b: Analysis, notes: list[str]) -> list[Distribution]:
    pairs = [("action", a.scan.action, b.scan.action)]
    others = {_bare(key): (key, column) for key, column in b.scan.state.items()}
    for key, column in a.scan.state.items():
        if (other := others.pop(_bare(key), None)) is None:
            notes.append(f"Only `{a.report.source}` has the state `{key}`.")
        else:
            pairs.append((key, column, other[1]))
    notes += [f"Only `{b.report.source}` has the state `{key}`." for key, _ in others.values()]
    found = []
    for key, of_a, of_b in pairs:
        widths = len(of_a.moments.count), len(of_b.moments.count)
        if widths[0] != widths[1]:
            notes.append(f"`{key}` has {widths[0]} numbers in A and {widths[1]} in B: they are not compared.")
            continue
        if widths[0] > MAX_NUMBERS:
            notes.append(f"Of `{key}` the first {MAX_NUMBERS} of {widths[0]} numbers are compared.")
        found += _of_vector(key, of_a, of_b, a, b)
    return found


def _bare(key: str) -> str:
    """Return a state's name without the prefix that LeRobot gives it."""
    return key.removeprefix("observation.")


def column_of(analysis: Analysis, vector: str) -> Column:
    """Return the column that a distribution's `vector` names, in either dataset.

    Raises:
        KeyError: It has none.
    """
    if vector == "action":
        return analysis.scan.action
    return next(column for key, column in analysis.scan.state.items() if _bare(key) == _bare(vector))


def _of_vector(key: str, of_a: Column, of_b: Column, a: Analysis, b: Analysis) -> list[Distribution]:
    lengths = [np.array([row.length for row in _thinned(each.report.rows)], np.float64) for each in (a, b)]
    thinned = [each.sketches[:: -(-len(each.sketches) // MAX_EPISODES)] for each in (of_a, of_b)]
    names = [
        number.name for number in (a.report.actions if key == "action" else a.report.state[key])[:MAX_NUMBERS]
    ]
    found = []
    for i, name in enumerate(names):
        first, second = ([sketch[:, i] for sketch in sketches] for sketches in thinned)
        distance, p = distance_of_distributions(first, second, lengths[0], lengths[1])
        found.append(
            Distribution(
                vector=key,
                name=name,
                mean_a=float(of_a.moments.mean[i]),
                mean_b=float(of_b.moments.mean[i]),
                std_a=float(of_a.moments.std[i]),
                std_b=float(of_b.moments.std[i]),
                distance=distance,
                p=p,
                p_corrected=1.0,
                significant=False,
            )
        )
    corrected = holm([each.p for each in found])
    return [
        each.model_copy(update={"p_corrected": p, "significant": p < LEVEL})
        for each, p in zip(found, corrected, strict=True)
    ]
