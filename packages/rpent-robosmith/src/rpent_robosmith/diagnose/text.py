"""A report as lines for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rpent.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.diagnose.records import DatasetReport, EpisodeRow, NumberSummary, Spread

_ROWS = 20
"""Episodes that are shown unless all are asked for."""
_STATE_ROWS = 40
_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def lines(report: DatasetReport, *, all_episodes: bool = False) -> Iterator[str]:
    """Yield the report, line by line."""
    yield from _head(report)
    yield ""
    yield from findings(report)
    yield "Actions"
    yield from table(
        _NUMBERS if report.bounds is None else (*_NUMBERS, "low", "high", "at bounds"), _actions(report)
    )
    for key, numbers in report.state.items():
        yield f"\nState {printable(key)}"
        shown = [_number(number) for number in numbers[:_STATE_ROWS]]
        yield from table(_NUMBERS, shown)
        if len(numbers) > _STATE_ROWS:
            yield f"  … and {len(numbers) - _STATE_ROWS} more (`--json` has all)"
    if report.clusters:
        yield "\nFailures"
        rows = [
            (
                str(each.count),
                ", ".join(each.traits),
                ", ".join(each.episodes[:6]) + ("…" if each.count > 6 else ""),
            )
            for each in report.clusters
        ]
        yield from table(("", "in common", "episodes"), rows)
    if len(report.tasks) > 1:
        yield "\nTasks"
        yield from table(
            ("episodes", "successes", "task"),
            [
                (str(t.episodes), str(t.successes) if t.successes + t.failures else "?", t.task)
                for t in report.tasks
            ],
        )
    yield "\nEpisodes"
    listed = report.rows if all_episodes else report.rows[:_ROWS]
    yield from table(EPISODE_HEADER, [episode(row) for row in listed])
    if len(listed) < len(report.rows):
        yield f"  … and {len(report.rows) - len(listed)} more (`--all`, `--json` or `--html FILE`)"


def _head(report: DatasetReport) -> Iterator[str]:
    rate = "" if report.fps is None else f" at {report.fps:g} Hz"
    yield f"{printable(report.source)} ({report.format})"
    yield f"  episodes   {report.episodes} ({report.read}), {report.frames} steps{rate}"
    origin = ", ".join(part for part in (report.environment, report.robot) if part)
    if origin:
        yield f"  recorded   {printable(origin)}"
    yield f"  success    {success(report)}"
    yield f"  length     {spread(report.lengths, 'steps')}"
    if report.returns is not None:
        yield f"  return     {spread(report.returns)}"
    yield f"  saturation {saturation(report)}"
    if report.jerk is not None:
        yield f"  jerk       {spread(report.jerk, 'of the range per step³')}"
    if report.idle is not None:
        yield f"  idle       {spread(report.idle, 'of the steps')} (from {report.idle_from})"


def success(report: DatasetReport) -> str:
    """Return what is known of success, in words."""
    if report.success_rate is None or report.success_interval is None:
        return "unknown"
    interval = report.success_interval
    known = report.successes + report.failures
    sure = f"95 % interval {interval.low:.0%} to {interval.high:.0%}"
    text = f"{report.successes} of {known} ({report.success_rate:.0%}, {sure})"
    return f"{text}, unknown for {report.unknown}" if report.unknown else text


def saturation(report: DatasetReport) -> str:
    """Return how often actions are at their bounds, or why that is not known, in words."""
    if report.bounds is None:
        return "unknown: the bounds of the action are not known"
    if report.saturation is None:
        return f"none: every number of the action is a switch ({report.bounds.source})"
    return f"{spread(report.saturation, 'of the steps')} ({report.bounds.source})"


def spread(values: Spread, unit: str = "") -> str:
    """Return a quantity over episodes, in words."""
    between = f"{number(values.low)} to {number(values.high)}, median {number(values.median)}"
    text = f"{number(values.mean)} ± {number(values.std)} ({between})"
    return f"{text} {unit}".rstrip()


def number(value: float) -> str:
    """Return a number with four digits."""
    return "NaN" if math.isnan(value) else f"{value:.4g}"


def findings(report: DatasetReport) -> Iterator[str]:
    """Yield what should be known first, and an empty line."""
    import click  # noqa: PLC0415

    for finding in report.findings:
        yield f"{click.style(finding.severity, fg=_COLOURS[finding.severity])}: {printable(finding.text)}"
    if report.findings:
        yield ""


_NUMBERS = ("number", "mean", "std", "min", "1 %", "median", "99 %", "max", "")
EPISODE_HEADER = ("episode", "steps", "success", "return", "saturation", "jerk", "idle", "longest idle", "")


def _number(each: NumberSummary) -> tuple[str, ...]:
    remarks = [
        f"{each.nan + each.infinite} not finite" if each.nan or each.infinite else "",
        "constant" if each.constant else "switch" if each.switch else "",
    ]
    values = (each.mean, each.std, each.low, each.q01, each.median, each.q99, each.high)
    return (each.name, *(number(value) for value in values), ", ".join(part for part in remarks if part))


def _actions(report: DatasetReport) -> list[tuple[str, ...]]:
    if report.bounds is None:
        return [_number(each) for each in report.actions]
    return [
        (*_number(each), number(low), number(high), f"{(each.at_low or 0) + (each.at_high or 0):.1%}")
        for each, low, high in zip(report.actions, report.bounds.low, report.bounds.high, strict=True)
    ]


def episode(row: EpisodeRow) -> tuple[str, ...]:
    """Return an episode's cells, under `EPISODE_HEADER`."""
    remarks = [
        f"same as {row.duplicate_of}" if row.duplicate_of else "",
        f"actions of {row.same_actions_as}" if row.same_actions_as else "",
        f"{row.not_finite} not finite" if row.not_finite else "",
        *(f"{camera} frozen for {frames}" for camera, frames in row.frozen.items()),
    ]
    return (
        row.name,
        str(row.length),
        {True: "yes", False: "no", None: "?"}[row.success],
        "" if row.total is None else number(row.total),
        "" if row.saturation is None else f"{row.saturation:.0%}",
        "" if row.jerk is None else number(row.jerk),
        "" if row.idle is None else f"{row.idle:.0%}",
        str(row.longest_idle),
        ", ".join(part for part in remarks if part),
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table, each column as wide as its widest cell; columns of nothing are left out."""
    cells = [[printable(cell) for cell in row] for row in rows]
    kept = [i for i in range(len(header)) if any(row[i] for row in cells)]
    widths = [max(len(header[i]), *(len(row[i]) for row in cells)) if cells else len(header[i]) for i in kept]
    for row in ([list(header)] if any(header) else []) + cells:
        yield "  " + "  ".join(row[i].ljust(width) for i, width in zip(kept, widths, strict=True)).rstrip()
