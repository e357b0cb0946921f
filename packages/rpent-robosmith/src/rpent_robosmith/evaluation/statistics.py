"""Intervals for rates and means, and the summary of an evaluation's episodes."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rpent_robosmith.reports import EvaluationReport, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent_robosmith.reports import EpisodeRecord

RESAMPLES = 2_000
"""Bootstrap samples of a mean."""


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval of a rate; it stays within [0, 1] and is not empty at 0 % or 100 %.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927), p. 209.

    Args:
        successes: Of `trials`; 0 of 0 gives [0, 1], which says nothing.
        trials: Independent episodes.
        confidence: 0.95 for a 95 % interval.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    if trials == 0:
        return Interval(low=0.0, high=1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = successes / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low=low, high=high)


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN for no values, and where one of them is not finite: such a mean holds no criterion."""
    if not values or not all(math.isfinite(value) for value in values):
        return math.nan
    return math.fsum(value / len(values) for value in values)


def bootstrap(values: Sequence[float], confidence: float = 0.95, *, seed: int = 0) -> Interval | None:
    """Return a percentile-bootstrap interval of a mean, the same for the same values and seed.

    Args:
        values: One an episode.
        confidence: 0.95 for a 95 % interval.
        seed: Of the resampling.

    Returns:
        None where there are fewer than two values, or one is not finite.
    """
    if len(values) < 2 or math.isnan(mean(values)):
        return None
    data = np.asarray(values, dtype=np.float64)
    scale = float(np.abs(data).max()) or 1.0
    generator = np.random.default_rng(seed)
    chosen = generator.integers(0, len(data), size=(RESAMPLES, len(data)))
    means = (data / scale)[chosen].mean(axis=1)
    low, high = np.quantile(means, ((1 - confidence) / 2, (1 + confidence) / 2))
    middle = mean(values)
    return Interval(low=min(float(low) * scale, middle), high=max(float(high) * scale, middle))


def summarise(
    policy: str, episodes: Iterable[EpisodeRecord], *, measures: Iterable[str] = (), confidence: float = 0.95
) -> EvaluationReport:
    """Return the metrics of a policy's episodes, with their intervals.

    A crashed episode is a failure in `success_rate`, is counted by `error_rate`, and enters no mean.

    Args:
        policy: `trained`, `random`, `zero`.
        episodes: Of any number; none makes every metric NaN.
        measures: Names of the environment's measures: each becomes `mean_<measure>`.
        confidence: Of the intervals.
    """
    episodes = tuple(episodes)
    sound = [episode for episode in episodes if not episode.error]
    means = {
        "mean_return": [episode.total for episode in sound],
        "mean_length": [float(episode.length) for episode in sound],
        **{f"mean_{name}": [episode.measures.get(name, math.nan) for episode in sound] for name in measures},
    }
    metrics, intervals = _rates(episodes, len(episodes) - len(sound), confidence)
    for number, (name, values) in enumerate(means.items()):
        metrics[name] = mean(values)
        interval = bootstrap(values, confidence, seed=number)
        if interval is not None:
            intervals[name] = interval
    return EvaluationReport(
        policy=policy, episodes=episodes, metrics=metrics, intervals=intervals, confidence=confidence
    )


def _rates(
    episodes: tuple[EpisodeRecord, ...], crashed: int, confidence: float
) -> tuple[dict[str, float], dict[str, Interval]]:
    total = len(episodes)
    if not total:
        return {"success_rate": math.nan, "error_rate": math.nan}, {}
    successes = sum(episode.success and not episode.error for episode in episodes)
    counts = {"success_rate": successes, "error_rate": crashed}
    return (
        {name: count / total for name, count in counts.items()},
        {name: wilson(count, total, confidence) for name, count in counts.items()},
    )
