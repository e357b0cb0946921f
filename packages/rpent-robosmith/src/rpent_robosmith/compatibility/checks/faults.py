"""What is wrong with one of the two by itself, and the versions that they were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair

_ELSEWHERE = frozenset({"missing_statistics", "separate_normalization"})
"""Of a policy; the check of statistics has them."""
_COMPARED = ("gymnasium", "mujoco", "gymnasium-robotics", "numpy")


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `fault_<kind>` for each fault of either side, `partly_read`, and `version`."""
    for fault in pair.policy.faults:
        if fault.kind not in _ELSEWHERE or not pair.strict:
            yield Issue(
                check=f"fault_{fault.kind}",
                severity=fault.severity,
                policy=fault.key,
                found=fault.count,
                expected=0,
                message=f"The {pair.policy.kind}: {fault.text}",
            )
    for fault in pair.target.faults:
        if fault.kind == "missing_part" and fault.key == "task":
            continue  # only a policy that wants instructions cares, see `meaning`
        yield Issue(
            check=f"fault_{fault.kind}",
            severity=fault.severity,
            target=fault.key,
            found=fault.count,
            expected=0,
            message=f"The {pair.target.kind}: {fault.text}",
        )
    if pair.target.read != "all":
        yield Issue(
            check="partly_read",
            severity="info",
            expected="all",
            found=pair.target.read,
            message=f"The target's statistics are of {pair.target.read}.",
        )
    yield from _versions(pair)


def _versions(pair: Pair) -> Iterator[Issue]:
    for name in _COMPARED:
        own, other = pair.policy.versions.get(name), pair.target.versions.get(name)
        if own and other and own.split(".")[0] != other.split(".")[0]:
            yield Issue(
                check="version",
                severity="info",
                policy=name,
                target=name,
                expected=own,
                found=other,
                message=f"The policy was saved with {name} {own}, the target runs with {other}.",
            )
