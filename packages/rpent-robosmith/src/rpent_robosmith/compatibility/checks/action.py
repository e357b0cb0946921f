"""Actions: how many numbers, of what kind, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair
    from rpent_robosmith.inspect.api import Feature


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `action_kind`, `action_count`, `action_size`, `action_order`, `action_names` and `action_parts`."""
    if not pair.policy.action or not pair.target.action:
        yield Issue(
            check="action_missing",
            severity="critical",
            expected=sorted(pair.policy.action),
            found=sorted(pair.target.action),
            message="One of the two has no action.",
        )
        return
    kinds = _kinds(pair.policy.action), _kinds(pair.target.action)
    if kinds[0] != kinds[1]:
        yield _differing(
            pair,
            check="action_kind",
            expected=kinds[0],
            found=kinds[1],
            message=f"The policy gives {kinds[0]} actions, the target takes {kinds[1]} ones.",
            remedy="A policy of the other kind is needed.",
        )
        return
    yield from _counts(pair)
    yield from _size(pair)
    yield from _names(pair)


def _kinds(features: dict[str, Feature]) -> str:
    return "discrete" if all(each.kind == "discrete" for each in features.values()) else "continuous"


def _differing(pair: Pair, **fields: Any) -> Issue:
    return Issue(
        severity=pair.severity("critical"),
        policy=", ".join(pair.policy.action),
        target=", ".join(pair.target.action),
        **fields,
    )


def _counts(pair: Pair) -> Iterator[Issue]:
    own, only = next(iter(pair.policy.action.values())), next(iter(pair.target.action.values()))
    if own.n is not None and only.n is not None and own.n != only.n:
        yield _differing(
            pair,
            check="action_count",
            expected=own.n,
            found=only.n,
            message=f"The policy chooses among {own.n} actions, the target has {only.n}.",
            remedy="A policy that was trained for these actions is needed.",
        )


def _size(pair: Pair) -> Iterator[Issue]:
    link = pair.mapping.action
    given, taken = link.policy_size, link.size
    if given == taken:
        return
    asked = (given < taken and link.pad is not None) or (given > taken and link.cut)
    how = "zeros are appended" if given < taken else "the last ones are dropped"
    yield Issue(
        check="action_size",
        severity="warning" if asked else pair.severity("critical"),
        policy=", ".join(pair.policy.action),
        target=", ".join(pair.target.action),
        expected=given,
        found=taken,
        remedy="A policy with this action is needed; what the missing numbers would do is not known.",
        message=f"The policy gives {given} numbers, the target takes {taken}."
        + (f" As was asked, {how}." if asked else ""),
        handled="repair" if asked else "no",
        repair="pad-actions" if given < taken else "cut-actions",
    )


def _names(pair: Pair) -> Iterator[Issue]:
    if len(pair.policy.action) != 1 or len(pair.target.action) != 1:
        return
    (name, own), (key, only) = next(iter(pair.policy.action.items())), next(iter(pair.target.action.items()))
    if not own.names or not only.names or own.names == only.names:
        return
    keys = {"policy": name, "target": key, "expected": list(own.names), "found": list(only.names)}
    if pair.mapping.action.order:
        yield Issue(
            check="action_order",
            severity="warning",
            **keys,
            message="The same actions are in another order; the wrapper sorts them by name.",
            handled="wrapper",
        )
    elif len(own.names) == len(only.names):
        yield Issue(
            check="action_names",
            severity="warning",
            **keys,
            remedy="Make sure that they mean the same: only their number is.",
            message="The actions have other names on the two sides.",
        )
