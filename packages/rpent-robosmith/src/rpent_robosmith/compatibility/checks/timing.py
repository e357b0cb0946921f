"""Control rate, chunks and observation history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair

SAME = 1.02
OTHER = 2.0
"""Rates that differ by this factor make other motions of the same actions."""
LONG_S = 5.0
"""Seconds without looking, from which on somebody should know."""


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `control_rate`, `control_rate_unknown`, `chunk`, `chunk_too_long`, `execute_steps` and `history`."""
    yield from _rate(pair)
    if pair.strict:
        yield from _chunk(pair)
        if pair.policy.observation_steps > 1:
            yield Issue(
                check="history",
                severity="info",
                expected=pair.policy.observation_steps,
                found=1,
                message=f"The policy sees {pair.policy.observation_steps} observations at once; the wrapper must be "
                "reset at the beginning of each episode.",
                handled="wrapper",
            )


def _rate(pair: Pair) -> Iterator[Issue]:
    own, other = pair.policy.control_rate_hz, pair.target.control_rate_hz
    if own is None or other is None:
        if own is not None or other is not None:
            yield Issue(
                check="control_rate_unknown",
                severity="info",
                expected=own,
                found=other,
                message=f"Only one side says its control rate ({own or other:g} Hz).",
            )
        return
    factor = max(own, other) / min(own, other)
    if factor > SAME:
        yield Issue(
            check="control_rate",
            severity=pair.severity("critical") if factor >= OTHER else "warning",
            expected=own,
            found=other,
            remedy="Run the environment at the policy's rate, or resample the dataset.",
            message=f"The policy acts at {own:g} Hz, the target at {other:g} Hz.",
        )


def _chunk(pair: Pair) -> Iterator[Issue]:
    length = pair.policy.chunk_length
    if length is None:
        yield Issue(
            check="chunk",
            severity="info",
            found=None,
            message="The policy does not say how many actions it gives at once; the wrapper takes what comes.",
            handled="wrapper",
        )
        return
    yield from _execute_steps(pair, length)
    if length > 1:
        yield _between_looks(pair, length)
        yield from _whole_episode(pair)


def _execute_steps(pair: Pair, length: int) -> Iterator[Issue]:
    wanted, declared = pair.wishes.execute_steps, pair.policy.execute_steps
    if (wanted or declared or 1) > length:
        yield Issue(
            check="execute_steps",
            severity="critical" if wanted else "warning",
            expected=length,
            found=wanted or declared,
            remedy=f"Give at most `--execute-steps {length}`.",
            message=f"{wanted or declared} actions of an answer shall be carried out, and it has {length}.",
            handled="no" if wanted else "wrapper",
        )


def _between_looks(pair: Pair, length: int) -> Issue:
    link = pair.mapping.action
    rate = pair.target.control_rate_hz or pair.policy.control_rate_hz
    blind_s = None if rate is None else round(link.execute_steps / rate, 4)
    return Issue(
        check="chunk",
        severity="warning" if blind_s is not None and blind_s > LONG_S else "info",
        expected={"chunk_length": length, "execute_steps": link.execute_steps},
        found={"control_rate_hz": rate, "seconds_between_looks": blind_s},
        remedy="Carry out fewer of them: `--execute-steps N`."
        if blind_s is not None and blind_s > LONG_S
        else "",
        message=f"The policy gives {length} actions at once, {link.execute_steps} are carried out"
        + (f": it looks every {blind_s:g} s." if blind_s is not None else "."),
        handled="wrapper",
    )


def _whole_episode(pair: Pair) -> Iterator[Issue]:
    steps, limit = pair.mapping.action.execute_steps, pair.target.max_episode_steps
    if limit is not None and steps >= limit:
        yield Issue(
            check="chunk_too_long",
            severity="warning",
            expected=steps,
            found=limit,
            remedy="Carry out fewer of them: `--execute-steps N`.",
            message=f"One answer is as long as a whole episode of {limit} steps: the policy looks once.",
        )
