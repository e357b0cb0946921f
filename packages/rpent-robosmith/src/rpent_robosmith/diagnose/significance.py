"""Tests over episodes: permutations of whole episodes, since steps of one episode are no independent samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PERMUTATIONS = 1_999
RESAMPLES = 2_000
GRID = 64
"""Points at which distributions are compared."""
_AT_ONCE = 64
"""Permutations whose distributions are in memory together."""


def permutation_p(a: NDArray[np.float64], b: NDArray[np.float64], *, seed: int = 0) -> float:
    """Return the two-sided p-value of a difference of means: how often a random split of the episodes differs as much.

    The observed split counts as one of the permutations (Phipson and Smyth 2010), so that no p-value is 0.

    Args:
        a: (N,) one value an episode.
        b: (M,)
        seed: Of the permutations.
    """
    pooled = np.concatenate([a, b])
    observed = abs(a.mean() - b.mean())
    random = np.random.default_rng(seed)
    differences = np.empty(PERMUTATIONS)
    for number in range(PERMUTATIONS):
        shuffled = random.permutation(pooled)
        differences[number] = abs(shuffled[: len(a)].mean() - shuffled[len(a) :].mean())
    tolerance = 1e-12 * max(1.0, float(np.abs(pooled).max()))
    return float((1 + (differences >= observed - tolerance).sum()) / (PERMUTATIONS + 1))


def bootstrap_difference(
    a: NDArray[np.float64], b: NDArray[np.float64], *, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """Return a percentile-bootstrap interval of mean(b) - mean(a); None with fewer than two episodes on a side."""
    if len(a) < 2 or len(b) < 2:
        return None
    random = np.random.default_rng(seed)
    differences = np.empty(RESAMPLES)
    for number in range(RESAMPLES):
        first, second = random.integers(0, len(a), len(a)), random.integers(0, len(b), len(b))
        differences[number] = b[second].mean() - a[first].mean()
    low, high = np.quantile(differences, ((1 - confidence) / 2, (1 + confidence) / 2))
    return float(low), float(high)


def rate_difference(successes_a: int, trials_a: int, successes_b: int, trials_b: int) -> tuple[float, float]:
    """Return the 95 % interval of a difference of two rates, b - a, by Newcombe's hybrid score method.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17
    (1998), method 10: it is not empty at 0 % and 100 %, as a bootstrap is.
    """
    from rpent_robosmith.evaluation.statistics import wilson  # noqa: PLC0415

    rate_a, rate_b = successes_a / trials_a, successes_b / trials_b
    of_a, of_b = wilson(successes_a, trials_a), wilson(successes_b, trials_b)
    difference = rate_b - rate_a
    low = difference - np.hypot(rate_b - of_b.low, of_a.high - rate_a)
    high = difference + np.hypot(of_b.high - rate_b, rate_a - of_a.low)
    return float(low), float(high)


def distance_of_distributions(
    sketches_a: Sequence[NDArray[np.float32]],
    sketches_b: Sequence[NDArray[np.float32]],
    lengths_a: NDArray[np.float64],
    lengths_b: NDArray[np.float64],
    *,
    seed: int = 0,
) -> tuple[float, float]:
    """Compare the distribution of one number over all steps by the Kolmogorov-Smirnov statistic.

    Each episode is known by its quantiles; the p-value comes from permutations of whole episodes.

    Args:
        sketches_a: An episode each: (Q,) evenly spaced quantiles; episodes without finite numbers are left out.
        sketches_b: The other dataset's.
        lengths_a: (N,) steps of each.
        lengths_b: (M,)
        seed: Of the permutations.

    Returns:
        The greatest difference of the distribution functions, in [0, 1], and its p-value; NaN and 1 where a side has
        no episodes.
    """
    sketches = np.asarray([*sketches_a, *sketches_b], np.float64)
    weights = np.concatenate([lengths_a, lengths_b])
    of_a = np.arange(len(sketches)) < len(sketches_a)
    usable = ~np.isnan(sketches).any(axis=1) & (weights > 0)
    sketches, weights, of_a = sketches[usable], weights[usable], of_a[usable]
    if not of_a.any() or of_a.all():
        return float("nan"), 1.0
    below = _distribution_functions(sketches) * weights[:, None]
    random = np.random.default_rng(seed)
    observed = _distance(below, weights, of_a[None, :])[0]
    as_far, done = 0, 0
    while done < PERMUTATIONS:
        count = min(_AT_ONCE, PERMUTATIONS - done)
        splits = random.permuted(np.broadcast_to(of_a, (count, len(of_a))), axis=1)
        as_far += int((_distance(below, weights, splits) >= observed - 1e-12).sum())
        done += count
    return float(observed), (1 + as_far) / (PERMUTATIONS + 1)


def _distribution_functions(sketches: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (E, G): share of each episode's steps that are at or below points of a common grid."""
    grid = np.unique(np.quantile(sketches, np.linspace(0.0, 1.0, GRID)))
    shares = np.linspace(0.0, 1.0, sketches.shape[1])
    result = np.empty((len(sketches), len(grid)))
    for row, quantiles in enumerate(sketches):
        values, last = np.unique(quantiles[::-1], return_index=True)
        upper = shares[len(quantiles) - 1 - last]
        if len(values) == 1:
            result[row] = grid >= values[0]
        else:
            result[row] = np.interp(grid, values, upper, left=0.0, right=1.0)
    return result


def _distance(
    below: NDArray[np.float64], weights: NDArray[np.float64], of_a: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return (P,) Kolmogorov-Smirnov statistics of splits, (P, E) each."""
    first = of_a.astype(np.float64)
    # Not `@`: threads of a matrix product this small cost more than they bring, on a busy machine many times more.
    of_first, weight = np.einsum("pe,eg->pg", first, below), first @ weights
    share_a = of_first / weight[:, None]
    share_b = (below.sum(axis=0) - of_first) / (weights.sum() - weight)[:, None]
    distance: NDArray[np.float64] = np.abs(share_a - share_b).max(axis=1)
    return distance


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number (Holm 1979): a family's chance of any false alarm stays below the level."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [1.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = highest
    return corrected
