"""How a policy's answer becomes an action of the target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.normalize import action_statistics, is_lost
from rpent_robosmith.compatibility.order import order_of, unit_scales
from rpent_robosmith.compatibility.pair import size, total
from rpent_robosmith.compatibility.report import ActionLink

if TYPE_CHECKING:
    from rpent_robosmith.compatibility.pair import Wishes
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature


def action_link(policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes) -> ActionLink:
    """Return how the parts of the policy's action, joined, become the parts of the target's.

    Args:
        policy: What answers.
        target: What is acted on.
        wishes: Repairs that were asked for, and how many actions of an answer are carried out.
    """
    given, taken = total(policy.action), total(target.action)
    only = next(iter(target.action.values())) if len(target.action) == 1 else None
    own = next(iter(policy.action.values())) if len(policy.action) == 1 else None
    discrete = only is not None and only.kind == "discrete"
    bounded = target.kind == "environment" and not discrete
    low = _bounds(target.action, "low") if bounded else ()
    high = _bounds(target.action, "high") if bounded else ()
    scale, offset = _affine(policy, target, wishes)
    statistics = action_statistics(policy, target, wishes)
    lost = any(is_lost(policy, name) for name in policy.action)
    chunk = policy.chunk_length or 1
    return ActionLink(
        kind="discrete" if discrete else "vector",
        policy_kind="discrete" if own is not None and own.kind == "discrete" else "vector",
        sources=tuple(policy.action),
        targets={name: size(each) for name, each in target.action.items()},
        policy_size=given,
        size=taken,
        shape=only.shape if only is not None else (taken,),
        dtype=(only.dtype if only is not None else "") or ("int64" if discrete else "float32"),
        order=_order(own, only),
        scale=scale,
        offset=offset,
        low=low,
        high=high,
        start=int(only.low[0]) if discrete and only is not None and only.low and only.n is not None else 0,
        n=only.n if only is not None else None,
        policy_n=own.n if own is not None else None,
        pad=0.0 if given < taken and "pad-actions" in wishes.repairs else None,
        cut=given > taken and "cut-actions" in wishes.repairs,
        rescaled="rescale-actions" in wishes.repairs and bool(scale or offset),
        normalize=statistics,
        borrowed=statistics is not None and lost,
        chunk_length=chunk,
        execute_steps=min(wishes.execute_steps or policy.execute_steps or chunk, chunk),
    )


def _order(own: Feature | None, only: Feature | None) -> tuple[int, ...]:
    return order_of(only.names, own.names) if own is not None and only is not None else ()


def _bounds(features: dict[str, Feature], side: str) -> tuple[float, ...]:
    """Return the bounds of all parts; nothing where some have none."""
    found: list[float] = []
    for feature in features.values():
        numbers: tuple[float, ...] = getattr(feature, side)
        if not numbers:
            return ()
        found.extend(numbers if len(numbers) == size(feature) else numbers[:1] * size(feature))
    return tuple(found)


def policy_bounds(policy: ArtefactFacts) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return what the policy's actions lie between, as its space says; nothing where it does not say."""
    return _bounds(policy.action, "low"), _bounds(policy.action, "high")


def _affine(
    policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return scale and offset of each number: of units, and of bounds where stretching was asked for."""
    low, high = policy_bounds(policy)
    to_low, to_high = _bounds(target.action, "low"), _bounds(target.action, "high")
    if (
        "rescale-actions" in wishes.repairs
        and len(low) == len(to_low)
        and all(map(math.isfinite, (*low, *high, *to_low, *to_high)))
    ):
        ratios = [
            (b - a) / (d - c) if d > c else 1.0 for a, b, c, d in zip(to_low, to_high, low, high, strict=True)
        ]
        offsets = [a - ratio * c for a, ratio, c in zip(to_low, ratios, low, strict=True)]
        return (tuple(ratios), tuple(offsets)) if ratios != [1.0] * len(ratios) or any(offsets) else ((), ())
    if len(policy.action) == len(target.action) == 1:
        own, only = next(iter(policy.action.values())), next(iter(target.action.values()))
        return unit_scales(only, own), ()
    return (), ()
