"""What failed episodes have in common: each gets its traits, and those with the same traits are together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_robosmith.diagnose.records import Cluster, EpisodeRow, TaskRow

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT = 0.5
"""Of the median length of the successes (of all episodes, where there are none)."""
MUCH = 0.3
"""Share of steps from which idling or saturation is a trait."""
NAMED = 20


def clusters(rows: Sequence[EpisodeRow]) -> tuple[Cluster, ...]:
    """Group the failures by their traits, the largest group first."""
    failures = [row for row in rows if row.success is False]
    successes = [row for row in rows if row.success]
    median = float(np.median([row.length for row in successes or rows])) if rows else 0.0
    limit = _step_limit(rows)
    jerky = _jerk_fence(successes)
    groups: dict[tuple[str, ...], list[EpisodeRow]] = {}
    for row in failures:
        groups.setdefault(_traits(row, median, limit, jerky), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Cluster(traits=traits, count=len(members), episodes=tuple(row.name for row in members[:NAMED]))
        for traits, members in ordered
    )


def _traits(row: EpisodeRow, median: float, limit: int | None, jerky: float) -> tuple[str, ...]:
    traits = []
    if row.length < SHORT * median:
        traits.append("ends early")
    if limit is not None and row.length == limit:
        traits.append("runs to the step limit")
    if (row.idle or 0.0) >= MUCH:
        traits.append("idles")
    if (row.saturation or 0.0) >= MUCH:
        traits.append("saturates")
    if row.jerk is not None and row.jerk > jerky:
        traits.append("jerks more than successes do")
    if row.not_finite:
        traits.append("has numbers that are not finite")
    return tuple(traits) or ("no trait in common",)


def _step_limit(rows: Sequence[EpisodeRow]) -> int | None:
    """Return the greatest length where several episodes have it and others are shorter: that is no coincidence."""
    lengths = [row.length for row in rows]
    longest = max(lengths, default=0)
    return longest if lengths.count(longest) > 1 and min(lengths, default=0) < longest else None


def _jerk_fence(successes: Sequence[EpisodeRow]) -> float:
    """Return Tukey's upper fence of the successes' jerk; infinite with too few of them."""
    jerks = [row.jerk for row in successes if row.jerk is not None]
    if len(jerks) < 4:
        return np.inf
    low, high = np.quantile(jerks, (0.25, 0.75))
    return float(high + 1.5 * (high - low))


def by_task(rows: Sequence[EpisodeRow]) -> tuple[TaskRow, ...]:
    """Count episodes and successes of each instruction, in the order of their first episode."""
    groups: dict[str, list[EpisodeRow]] = {}
    for row in rows:
        if row.task:
            groups.setdefault(row.task, []).append(row)
    return tuple(
        TaskRow(
            task=task,
            episodes=len(members),
            successes=sum(row.success is True for row in members),
            failures=sum(row.success is False for row in members),
        )
        for task, members in groups.items()
    )
