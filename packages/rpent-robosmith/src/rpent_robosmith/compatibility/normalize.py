"""Which arrays the wrapper normalises: those of a network that says so itself, and of one whose statistics are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.order import order_of
from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Statistics

if TYPE_CHECKING:
    from rpent_robosmith.compatibility.pair import Wishes
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature

_OUTSIDE = frozenset({"onnx"})
"""Formats whose networks take normalised numbers where their file says how; the others normalise by themselves."""
_MODES = frozenset({"mean_std", "min_max"})


def observation_statistics(
    policy: ArtefactFacts, target: ArtefactFacts, name: str, keys: tuple[str, ...], wishes: Wishes
) -> Statistics | None:
    """Return what one of the policy's inputs is normalised with by the wrapper; None where it does not.

    Args:
        policy: The policy.
        target: The target.
        name: The policy's input.
        keys: The target's arrays that it is joined from.
        wishes: Whether the target's statistics may be used.
    """
    mode = policy.normalization.get(name, "")
    if mode not in _MODES:
        return None
    wanted = policy.observation[name]
    if policy.format in _OUTSIDE:
        return _own(mode, wanted)
    if is_lost(policy, name) and _may(target, wishes) and len(keys) == 1:
        return _of(mode, target.observation[keys[0]], wanted)
    return None


def action_statistics(policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes) -> Statistics | None:
    """Return what the policy's answer is brought back with by the wrapper; None where it is not."""
    if len(policy.action) != 1 or len(target.action) != 1:
        return None
    (name, own), only = next(iter(policy.action.items())), next(iter(target.action.values()))
    mode = policy.normalization.get(name) or policy.normalization.get("action", "")
    if mode not in _MODES or own.kind != "vector":
        return None
    if policy.format in _OUTSIDE:
        return _own(mode, own)
    return _of(mode, only, own) if is_lost(policy, name) and _may(target, wishes) else None


def is_lost(policy: ArtefactFacts, name: str) -> bool:
    """Whether the policy normalises a feature and has no statistics of it."""
    return any(fault.kind == "missing_statistics" and fault.key == name for fault in policy.faults)


def _may(target: ArtefactFacts, wishes: Wishes) -> bool:
    return "target-statistics" in wishes.repairs and target.kind == "dataset"


def _own(mode: str, feature: Feature) -> Statistics | None:
    count = _columns(feature)
    if mode == "mean_std" and len(feature.mean) == len(feature.std) == count:
        return Statistics(mode="mean_std", mean=feature.mean, std=feature.std)
    if mode == "min_max" and len(feature.low) == len(feature.high) == count:
        return Statistics(mode="min_max", low=feature.low, high=feature.high)
    return None


def _of(mode: str, found: Feature, wanted: Feature) -> Statistics | None:
    """Return the target's statistics in the policy's order."""
    if _columns(found) != _columns(wanted):
        return None
    order = order_of(wanted.names, found.names) or tuple(range(_columns(wanted)))
    sorted_numbers = {
        name: tuple(numbers[i] for i in order) if len(numbers := getattr(found, name)) == len(order) else ()
        for name in ("mean", "std", "low", "high")
    }
    return _own(mode, wanted.model_copy(update=sorted_numbers))


def _columns(feature: Feature) -> int:
    """Return how many numbers each statistic has: a picture's are those of its channels."""
    return feature.shape[2] if feature.kind == "image" else size(feature)
