"""From the pass over a dataset to its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robosmith.diagnose.clusters import by_task, clusters
from rpent_robosmith.diagnose.findings import findings
from rpent_robosmith.diagnose.records import Bounds, DatasetReport, NumberSummary, Spread
from rpent_robosmith.diagnose.scan import scan
from rpent_robosmith.evaluation.statistics import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rpent_robosmith.datasets.api import DatasetReader
    from rpent_robosmith.diagnose.columns import Column
    from rpent_robosmith.diagnose.scan import Scan

PICTURE_EPISODES = 10
"""Of so many episodes the pictures are looked at unless the user says otherwise: decoding takes long."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report, and what comparisons and plots take besides."""

    report: DatasetReport
    scan: Scan


def analyse(
    reader: DatasetReader,
    source: str,
    *,
    bounds: Bounds | None = None,
    episodes: int | None = None,
    pictures: int = PICTURE_EPISODES,
    told: Callable[[int, int], None] | None = None,
) -> Analysis:
    """Analyse a dataset in one pass.

    Args:
        reader: The dataset.
        source: How the user named it.
        bounds: Of the action; None takes what the dataset declares, and where it declares none, they are unknown.
        episodes: At most so many are read; None reads all.
        pictures: Of how many episodes the pictures are looked at.
        told: Called with how many episodes were read, and how many there are.

    Raises:
        UsageError: The dataset is damaged, empty, or its actions do not fit the bounds.
    """
    declared = reader.action_bounds
    if bounds is None and declared is not None:
        bounds = Bounds(low=declared.low, high=declared.high, source=declared.source)
    seen = scan(reader, bounds=bounds, episodes=episodes, pictures=pictures, told=told)
    return Analysis(_report(reader, source, seen), seen)


def _report(reader: DatasetReader, source: str, seen: Scan) -> DatasetReport:
    rows = seen.rows()
    known = [row.success for row in rows if row.success is not None]
    successes = sum(known)
    read, total = len(rows), reader.total_episodes
    cameras = tuple(tally.summary() for tally in seen.cameras.values())
    report = DatasetReport(
        source=source,
        format=reader.format,
        read="all" if read == total else f"the first {read} of {total} episodes",
        episodes=read,
        frames=sum(row.length for row in rows),
        fps=reader.fps,
        robot=reader.robot,
        environment=reader.environment,
        success_source=reader.success_source,
        successes=successes,
        failures=len(known) - successes,
        unknown=read - len(known),
        success_rate=successes / len(known) if known else None,
        success_interval=wilson(successes, len(known)) if known else None,
        lengths=spread([float(row.length) for row in rows]),
        returns=_optional(row.total for row in rows),
        saturation=_optional(row.saturation for row in rows),
        jerk=_optional(row.jerk for row in rows),
        idle=_optional(row.idle for row in rows),
        idle_from="state and action" if seen.state else "action",
        bounds=seen.bounds,
        actions=_numbers(seen.action, reader.action_names, "action", seen),
        state={
            key: _numbers(column, reader.state[key].names if key in reader.state else (), key)
            for key, column in seen.state.items()
        },
        cameras=cameras,
        timing=seen.timing.summary(),
        tasks=by_task(rows),
        clusters=clusters(rows),
        rows=rows,
    )
    return report.model_copy(update={"findings": findings(report, reader.notes)})


def _numbers(
    column: Column, names: Sequence[str], stem: str, seen: Scan | None = None
) -> tuple[NumberSummary, ...]:
    moments = column.moments
    width = len(moments.count)
    low, middle, high = column.sample.quantiles((0.01, 0.5, 0.99))
    steps = np.maximum(moments.count + moments.nan + moments.infinite, 1)
    bounded = seen is not None and seen.bounds is not None
    empty = moments.count == 0
    return tuple(
        NumberSummary(
            name=names[i] if len(names) == width else f"{stem}[{i}]",
            mean=_value(moments.mean[i], empty[i]),
            std=_value(moments.std[i], empty[i]),
            low=_value(moments.low[i], empty[i]),
            high=_value(moments.high[i], empty[i]),
            q01=float(low[i]),
            median=float(middle[i]),
            q99=float(high[i]),
            nan=int(moments.nan[i]),
            infinite=int(moments.infinite[i]),
            constant=bool(moments.constant[i]),
            switch=bool(column.switches[i]),
            at_low=float(seen.at_low[i] / steps[i]) if seen is not None and bounded else None,
            at_high=float(seen.at_high[i] / steps[i]) if seen is not None and bounded else None,
            outside=float(seen.outside[i] / steps[i]) if seen is not None and bounded else None,
        )
        for i in range(width)
    )


def _value(number: float, empty: np.bool_) -> float:
    return float("nan") if empty else float(number)


def spread(values: Sequence[float]) -> Spread:
    """Return mean, deviation, extremes and median of one value an episode."""
    data = np.asarray(values, np.float64)
    return Spread(
        mean=float(data.mean()),
        std=float(data.std()),
        low=float(data.min()),
        median=float(np.median(data)),
        high=float(data.max()),
    )


def _optional(values: Iterable[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    return spread(known) if known else None
