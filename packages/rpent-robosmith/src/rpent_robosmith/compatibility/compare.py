"""Two artefacts beside each other: the mapping first, then every check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import UsageError

from rpent_robosmith.compatibility.checks import (
    action,
    dtypes,
    faults,
    keys,
    meaning,
    ranges,
    shapes,
    state,
    statistics,
    timing,
)
from rpent_robosmith.compatibility.pair import NOTHING, Pair
from rpent_robosmith.compatibility.report import SEVERITIES, Compatibility
from rpent_robosmith.compatibility.suggest import suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.compatibility.pair import Wishes
    from rpent_robosmith.inspect.api import ArtefactFacts

CHECKS = (keys, shapes, dtypes, ranges, statistics, action, timing, state, meaning, faults)
_KINDS = {"policy": "a policy", "dataset": "a dataset", "environment": "an environment"}
_ORDER = ("policy", "dataset", "environment")


def compare(policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes = NOTHING) -> Compatibility:
    """Put a policy beside a dataset or an environment, or a dataset beside an environment.

    Args:
        policy: What expects.
        target: What has.
        wishes: Links, repairs and an instruction that the user gave.

    Raises:
        UsageError: Both are of one kind, or a given link names what is not there.
    """
    if _ORDER.index(policy.kind) >= _ORDER.index(target.kind):
        raise UsageError(
            f"`{policy.id}` is not compared with `{target.id}`: one is {_KINDS[policy.kind]}, and so is the other."
            if policy.kind == target.kind
            else f"{_KINDS[policy.kind]} is not put beside {_KINDS[target.kind]}.".capitalize(),
            hint="Compared are a policy with a dataset or an environment, and a dataset with an environment.",
        )
    pair = Pair(policy=policy, target=target, mapping=suggest(policy, target, wishes), wishes=wishes)
    issues = sorted(
        (issue for group in CHECKS for issue in group.check(pair)),
        key=lambda issue: SEVERITIES.index(issue.severity),
    )
    return Compatibility(
        policy=policy.id,
        policy_kind=policy.kind,
        policy_format=policy.format,
        target=target.id,
        target_kind=target.kind,
        target_format=target.format,
        compatible=all(issue.severity != "critical" for issue in issues),
        issues=tuple(issues),
        mapping=pair.mapping,
    )


def compare_all(artefacts: Sequence[ArtefactFacts], wishes: Wishes = NOTHING) -> list[Compatibility]:
    """Compare two or three artefacts of different kinds, each with each, in whatever order they come.

    Raises:
        UsageError: Two are of one kind.
    """
    ordered = sorted(artefacts, key=lambda each: _ORDER.index(each.kind))
    return [
        compare(one, other, wishes if one.kind == "policy" else NOTHING)
        for index, one in enumerate(ordered)
        for other in ordered[index + 1 :]
    ]


STRUCTURAL = frozenset(
    {
        "missing_camera",
        "missing_observation",
        "observation_size",
        "image_channels",
        "action_size",
        "action_kind",
        "action_missing",
        "action_count",
    }
)
"""Checks whose critical issues leave the wrapper without something that it needs to run."""
