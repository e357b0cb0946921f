"""Normalisation: what a policy's numbers were scaled with, against what it is going to see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rpent_robosmith.compatibility.order import order_of
from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair
    from rpent_robosmith.inspect.api import Feature

SHIFTED = 1.0
"""Means that are so many deviations apart, or deviations that differ by a factor of 3, come from other data."""
FAR = 10.0
"""And so many: from other units."""
_WIDER = 3.0
_SMALL = 1e-6


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `statistics_missing`, `statistics_shift`, `statistics_scale` and `normalization_unknown`."""
    yield from _missing(pair)
    for link, wanted, found in pair.links():
        if found is not None and link.kind == "vector":
            yield from _shifted(pair, link.policy, link.sources[0].key, wanted, found)
    if len(pair.policy.action) == len(pair.target.action) == 1:
        (name, own), (key, only) = (next(iter(each.action.items())) for each in (pair.policy, pair.target))
        if own.kind == only.kind == "vector":
            yield from _shifted(pair, name, key, own, only)


def _missing(pair: Pair) -> Iterator[Issue]:
    policy = pair.policy
    if policy.normalization_statistics is False:
        yield _lost(pair)
    for fault in policy.faults:
        if fault.kind == "separate_normalization":
            yield Issue(
                check="separate_normalization",
                severity="warning",
                found=fault.key,
                remedy="Apply it to observations before they are given to the policy.",
                message=fault.text,
            )


def _lost(pair: Pair) -> Issue:
    """Return the issue of a policy that normalises without statistics, which may be taken from the target."""
    lacking = sorted({fault.key for fault in pair.policy.faults if fault.kind == "missing_statistics"})
    borrowed = {link.policy for link in pair.mapping.observation if link.borrowed}
    borrowed |= set(pair.policy.action) if pair.mapping.action.borrowed else set()
    open_ones = [name for name in lacking if name not in borrowed]
    return Issue(
        check="statistics_missing",
        severity=pair.severity("critical") if open_ones or not lacking else "warning",
        policy=", ".join(open_ones or lacking),
        expected=lacking,
        found=sorted(borrowed),
        remedy="Save the policy with its statistics, or take those of the dataset that it was trained on: "
        "`--repair target-statistics`.",
        message="The policy normalises, and its statistics are not in the checkpoint."
        + (" Those of the target are used, as was asked." if borrowed else ""),
        handled="no" if open_ones or not lacking else "repair",
        repair="target-statistics" if pair.target.kind == "dataset" else None,
    )


def _shifted(pair: Pair, name: str, key: str, wanted: Feature, found: Feature) -> Iterator[Issue]:
    count = size(wanted)
    lists = (wanted.mean, wanted.std, found.mean, found.std)
    if count != size(found) or any(len(each) != count for each in lists):
        return
    order = order_of(wanted.names, found.names) or tuple(range(count))
    scores = [_distance(wanted, i, found, order[i]) for i in range(count)]
    off = [i for i, score in enumerate(scores) if score >= SHIFTED]
    if not off:
        return
    far = max(scores) >= FAR
    yield Issue(
        check="statistics_scale" if far else "statistics_shift",
        severity=pair.severity("critical") if far else "warning",
        policy=name,
        target=key,
        expected=_described(wanted, off),
        found=_described(found, [order[i] for i in off]),
        remedy="Compare units and frames of the two sides."
        if far
        else "Fine-tune, or expect it to act worse.",
        message=f"{len(off)} of {count} numbers of `{key}` are distributed otherwise than what `{name}` was "
        f"normalised with, up to {max(scores):.3g} deviations.",
    )


def _distance(wanted: Feature, i: int, found: Feature, j: int) -> float:
    """Return how many of the policy's deviations the means are apart, or how much wider one is, on one scale.

    A deviation that is three times as large counts as one, thirty times as ten.
    """
    spread = max(abs(wanted.std[i]), _SMALL)
    apart = abs(wanted.mean[i] - found.mean[j]) / spread
    if wanted.std[i] < _SMALL or found.std[j] < _SMALL:
        constant = max(abs(wanted.mean[i] - found.mean[j]), abs(found.std[j] - wanted.std[i]))
        return 0.0 if constant < _SMALL or wanted.std[i] >= _SMALL else min(apart, FAR - 1)
    ratio = max(found.std[j] / wanted.std[i], wanted.std[i] / found.std[j]) / _WIDER
    score = max(apart, ratio if ratio >= 1 else 0.0)
    return score if math.isfinite(score) else FAR


def _described(feature: Feature, index: list[int]) -> dict[str, Any]:
    return {
        "index": index,
        "mean": [feature.mean[i] for i in index],
        "std": [feature.std[i] for i in index],
    }
