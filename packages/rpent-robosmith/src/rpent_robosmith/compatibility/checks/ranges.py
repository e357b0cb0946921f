"""Bounds and units: numbers of another scale mean something else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.actions import policy_bounds
from rpent_robosmith.compatibility.order import order_of, unit_of
from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Issue
from rpent_robosmith.compatibility.units import factor, known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.compatibility.pair import Pair
    from rpent_robosmith.compatibility.report import ObservationLink
    from rpent_robosmith.inspect.api import Feature

OTHER_SCALE = 10.0
"""Spans that differ by this factor are another unit or another normalisation."""
_SLACK = 1e-3
"""Of a span: rounding."""


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `observation_range`, `observation_scale`, `action_range`, `action_scale` and `unit`."""
    for link, wanted, found in pair.links():
        if found is not None and link.kind == "vector":
            yield from _units(pair, link.policy, link.sources[0].key, wanted, found)
            yield from _observation(pair, link, wanted, found)
    yield from _action(pair)


def _observation(pair: Pair, link: ObservationLink, wanted: Feature, found: Feature) -> Iterator[Issue]:
    name, key, scale = link.policy, link.sources[0].key, link.scale
    count = size(wanted)
    if count != size(found) or any(
        len(each) != count for each in (wanted.low, wanted.high, found.low, found.high)
    ):
        return
    order = order_of(wanted.names, found.names) or tuple(range(count))
    factors = scale or (1.0,) * count
    low = [factors[i] * found.low[order[i]] for i in range(count)]
    high = [factors[i] * found.high[order[i]] for i in range(count)]
    outside = [i for i in range(count) if _outside(wanted, i, low[i], high[i])]
    if not outside:
        return
    worst = max(_ratio(wanted, i, low[i], high[i]) for i in outside)
    other = worst >= OTHER_SCALE
    yield Issue(
        check="observation_scale" if other else "observation_range",
        severity=pair.severity("critical") if other else "warning",
        policy=name,
        target=key,
        expected={
            "low": [wanted.low[i] for i in outside],
            "high": [wanted.high[i] for i in outside],
            "index": outside,
        },
        found={"low": [low[i] for i in outside], "high": [high[i] for i in outside], "index": outside},
        remedy="Compare the units of the two sides." if other else "The policy has not seen such values.",
        message=f"{len(outside)} of {count} numbers of `{key}` go beyond what `{name}` was trained with"
        + (f", up to {worst:.3g} times as far." if other else "."),
    )


def _outside(wanted: Feature, index: int, low: float, high: float) -> bool:
    """Whether the target's numbers leave the policy's, where both are finite; unbounded spaces say nothing."""
    bounds = (wanted.low[index], wanted.high[index], low, high)
    if not all(map(math.isfinite, bounds)):
        return False
    slack = _SLACK * max(bounds[1] - bounds[0], 1e-6)
    return low < bounds[0] - slack or high > bounds[1] + slack


def _ratio(wanted: Feature, index: int, low: float, high: float) -> float:
    span = wanted.high[index] - wanted.low[index]
    if span <= 0:
        return 1.0
    middle = (wanted.high[index] + wanted.low[index]) / 2
    return max(abs(low - middle), abs(high - middle)) / (span / 2)


def _action(pair: Pair) -> Iterator[Issue]:
    if "discrete" in (pair.mapping.action.kind, pair.mapping.action.policy_kind):
        return
    if len(pair.policy.action) == len(pair.target.action) == 1:
        (name, own), (key, only) = (
            next(iter(pair.policy.action.items())),
            next(iter(pair.target.action.items())),
        )
        yield from _units(pair, name, key, own, only, action=True)
    low, high = policy_bounds(pair.policy)
    link = pair.mapping.action
    if (
        len(low) != link.size
        or len(link.low) != link.size
        or not all(map(math.isfinite, (*low, *high, *link.low, *link.high)))
    ):
        return
    order = link.order or tuple(range(link.size))
    scale, offset = link.scale or (1.0,) * link.size, link.offset or (0.0,) * link.size
    reached = [
        sorted((scale[i] * low[order[i]] + offset[i], scale[i] * high[order[i]] + offset[i]))
        for i in range(link.size)
    ]
    differing = [i for i in range(link.size) if _differs(reached[i], (link.low[i], link.high[i]))]
    if differing:
        yield _bounds_differ(pair, differing, reached)


def _differs(one: Sequence[float], other: Sequence[float]) -> bool:
    slack = _SLACK * max(other[1] - other[0], 1e-6)
    return abs(one[0] - other[0]) > slack or abs(one[1] - other[1]) > slack


def _bounds_differ(pair: Pair, differing: list[int], reached: list[list[float]]) -> Issue:
    link = pair.mapping.action
    ratios = [
        (reached[i][1] - reached[i][0]) / (link.high[i] - link.low[i])
        if link.high[i] > link.low[i]
        else math.inf
        for i in differing
    ]
    other = any(not 1 / OTHER_SCALE < ratio < OTHER_SCALE for ratio in ratios)
    return Issue(
        check="action_scale" if other else "action_range",
        severity=pair.severity("critical") if other else "warning",
        policy=", ".join(pair.policy.action),
        target=", ".join(pair.target.action),
        expected={
            "low": [reached[i][0] for i in differing],
            "high": [reached[i][1] for i in differing],
            "index": differing,
        },
        found={
            "low": [link.low[i] for i in differing],
            "high": [link.high[i] for i in differing],
            "index": differing,
        },
        remedy="Where the policy was trained in an environment that rescales, ask for it: `--repair rescale-actions`.",
        message=f"{len(differing)} of {link.size} numbers of the action have other bounds than the target's; "
        "what goes beyond them is clipped.",
        handled="no" if other else "wrapper",
        repair="rescale-actions",
    )


def _units(
    pair: Pair, name: str, key: str, own: Feature, other: Feature, *, action: bool = False
) -> Iterator[Issue]:
    """Yield what is measured in other units on the two sides."""
    if size(own) != size(other):
        return
    order = order_of(own.names, other.names) or tuple(range(size(own)))
    pairs = [(i, unit_of(own, i), unit_of(other, order[i])) for i in range(size(own))]
    differing = [
        each for each in pairs if known(each[1]) and known(each[2]) and factor(each[1], each[2]) != 1.0
    ]
    if not differing:
        return
    impossible = [each for each in differing if factor(each[1], each[2]) is None]
    shown = impossible or differing
    yield Issue(
        check="unit",
        severity=pair.severity("critical") if impossible else "warning",
        policy=name,
        target=key,
        expected={"index": [i for i, _, _ in shown], "unit": [unit for _, unit, _ in shown]},
        found={"index": [order[i] for i, _, _ in shown], "unit": [unit for _, _, unit in shown]},
        remedy="They measure different things: map other keys." if impossible else "",
        message=f"{len(shown)} of {size(own)} numbers of {'the action' if action else f'`{name}`'} have other units"
        + (", between which nothing converts." if impossible else "; the wrapper converts them."),
        handled="no" if impossible else "wrapper",
    )
