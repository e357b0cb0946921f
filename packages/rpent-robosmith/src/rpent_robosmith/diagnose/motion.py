"""How an episode moves: jerk, idle steps, and actions at their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.diagnose.records import Bounds

AT_BOUND = 1e-3
"""Of a number's range: so near to a bound it counts as at it."""
STILL = 1e-3
"""Of a number's range: what changes by less in a step stands still."""
VISIBLE = 0.05
"""Of a number's range: what covers so much of it can be seen."""
OUTSIDE = 1e-6
"""Of a number's range: rounding; what is farther out than this is outside."""


@dataclass(frozen=True, slots=True)
class AtBounds:
    """Which numbers of which steps are at a bound, (T, D) each."""

    low: NDArray[np.bool_]
    high: NDArray[np.bool_]
    outside: NDArray[np.bool_]


def at_bounds(actions: NDArray[np.floating[Any]], bounds: Bounds) -> AtBounds:
    """Compare actions with real bounds; an infinite bound is never reached.

    Args:
        actions: (T, D)
        bounds: (D,) each.
    """
    low, high = np.asarray(bounds.low, np.float64), np.asarray(bounds.high, np.float64)
    finite = np.isfinite(low) & np.isfinite(high)
    span = np.where(finite, high - low, 0.0)
    return AtBounds(
        low=np.isfinite(low) & (actions <= low + AT_BOUND * span),
        high=np.isfinite(high) & (actions >= high - AT_BOUND * span),
        outside=(actions < low - OUTSIDE * span) | (actions > high + OUTSIDE * span),
    )


def third_differences(actions: NDArray[np.floating[Any]]) -> tuple[NDArray[np.float64], int]:
    """Return the sum of squared third differences, (D,), and how many steps have one.

    The third difference of a position is its jerk, in units a step cubed; steps with a number that is not finite count
    as zero.
    """
    if len(actions) < 4:
        return np.zeros(actions.shape[1]), 0
    third = np.diff(np.asarray(actions, np.float64), n=3, axis=0)
    return np.where(np.isfinite(third), third, 0.0).__pow__(2).sum(axis=0), len(third)


def still(rows: NDArray[np.generic], span: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return (T,) whether a step's numbers are those of the step before; the first one is never still.

    Args:
        rows: (T, D)
        span: (D,) range of each number.
    """
    values = np.asarray(rows, np.float64)
    if not len(values):
        return np.zeros(0, np.bool_)
    steps = np.diff(values, axis=0)
    unchanged = (np.abs(steps) <= STILL * span) | _is_clock(steps)
    result: NDArray[np.bool_] = np.concatenate([[False], unchanged.all(axis=1)])
    return result


def _is_clock(steps: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return (D,) which numbers grow by the same in every step: simulators keep their time among their state."""
    if len(steps) < 2:
        return np.zeros(steps.shape[1], np.bool_)
    usual = np.median(steps, axis=0)
    even: NDArray[np.bool_] = (usual > 0) & (np.abs(steps - usual) <= 0.01 * np.abs(usual)).all(axis=0)
    return even


def idle_steps(
    actions: NDArray[np.floating[Any]],
    action_span: NDArray[np.float64],
    state: Mapping[str, NDArray[np.generic]],
    state_spans: Mapping[str, NDArray[np.float64]],
) -> NDArray[np.bool_]:
    """Return (T,) whether nothing happens in a step.

    With state: neither the state nor the action changes. Without: the action does not change, and most of its numbers
    are near zero; a constant velocity is no idleness.
    """
    idle = still(actions, action_span)
    if state:
        for key, rows in state.items():
            idle = idle & still(rows, state_spans[key])
        return idle
    near_zero = np.abs(np.asarray(actions, np.float64)) <= 0.02 * np.maximum(action_span, 1e-12)
    mostly: NDArray[np.bool_] = near_zero.mean(axis=1) > 0.5
    return idle & mostly


def longest_run(flags: NDArray[np.bool_]) -> int:
    """Return the length of the longest stretch of true."""
    return max((end - start for start, end in runs(flags)), default=0)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the stretches of true, each as its first step and the one after its last."""
    padded = np.concatenate([[False], flags, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


class Movement:
    """Whether an episode's robot moves visibly between two steps.

    Args:
        state: Key → (T, S).
        spans: Key → (S,) range of each number.
        idle: (T,) what counts instead where there is no state.
    """

    def __init__(
        self,
        state: Mapping[str, NDArray[np.generic]],
        spans: Mapping[str, NDArray[np.float64]],
        idle: NDArray[np.bool_],
    ) -> None:
        self._idle = idle
        self._scaled = []
        for key, rows in state.items():
            values, span = np.asarray(rows, np.float64), spans[key]
            kept = (span > 0) & ~_is_clock(np.diff(values, axis=0))
            self._scaled.append(values[:, kept] / span[kept])

    def __call__(self, start: int, end: int) -> bool:
        """Whether some number covers a twentieth of its range from step `start` to step `end`."""
        if not self._scaled:
            return not bool(self._idle[start + 1 : end + 1].all())
        parts = [rows[start : end + 1] for rows in self._scaled]
        covered = [np.ptp(part, axis=0).max(initial=0.0) for part in parts if part.size]
        return bool(max(covered, default=0.0) >= VISIBLE)
