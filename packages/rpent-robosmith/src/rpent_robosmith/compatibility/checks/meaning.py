"""Language, embodiment, and the environment that a policy or dataset comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rpent.plugins import registry

from rpent_robosmith.compatibility.report import Issue
from rpent_robosmith.compatibility.robots import ROBOT_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair

_VERSIONED = re.compile(r"^(?P<base>.+)-v(?P<version>\d+)$")
_NOBODY = frozenset({"", "unknown", "none", "n/a"})


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `language`, `embodiment`, `environment` and `environment_version`."""
    yield from _language(pair)
    yield from _embodiment(pair)
    yield from _environment(pair)


def _language(pair: Pair) -> Iterator[Issue]:
    if not pair.policy.language or not pair.strict:
        return
    if pair.wishes.instruction is not None:
        yield Issue(
            check="language",
            severity="info",
            expected=True,
            found=pair.wishes.instruction,
            message="The policy is told the given instruction.",
            handled="wrapper",
        )
    elif not pair.target.language:
        yield Issue(
            check="language",
            severity="critical",
            expected=True,
            found=bool(pair.target.language),
            remedy='Say what to do: `--instruction "pick up the cube"`.',
            message="The policy wants an instruction, and the target has none.",
        )
    untold = sum(
        fault.count for fault in pair.target.faults if fault.kind == "missing_part" and fault.key == "task"
    )
    if untold and pair.wishes.instruction is None:
        yield Issue(
            check="language_gaps",
            severity="warning",
            expected=0,
            found=untold,
            remedy="Give one for them with `--instruction`.",
            message=f"{untold} episodes of the target have no instruction.",
        )


def _embodiment(pair: Pair) -> Iterator[Issue]:
    own, other = (_name(each.robot) for each in (pair.policy, pair.target))
    if pair.target.format == ROBOT_FORMAT and pair.policy.robot not in registry.names("robots"):
        return  # a robot plugin's name is no model of an arm
    if own and other and own != other:
        yield Issue(
            check="embodiment",
            severity=pair.severity("critical"),
            expected=pair.policy.robot,
            found=pair.target.robot,
            remedy="A policy of this robot is needed.",
            message=f"The policy is for the robot `{pair.policy.robot}`, the target has `{pair.target.robot}`.",
        )


def _name(robot: str | None) -> str:
    text = re.sub(r"[^a-z0-9]+", "", (robot or "").lower())
    return "" if text in _NOBODY else text


def _environment(pair: Pair) -> Iterator[Issue]:
    own, other = (str(each.details.get("environment") or "") for each in (pair.policy, pair.target))
    if not own or not other or own == other:
        return
    left, right = _VERSIONED.match(own), _VERSIONED.match(other)
    same = left is not None and right is not None and left["base"] == right["base"]
    yield Issue(
        check="environment_version" if same else "environment",
        severity="warning",
        expected=own,
        found=other,
        remedy="Versions of an environment may differ in dynamics and observations." if same else "",
        message=f"The policy comes from `{own}`, the target is `{other}`.",
    )
