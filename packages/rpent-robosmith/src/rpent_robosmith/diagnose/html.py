"""The HTML report of one dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.diagnose import svg, text
from rpent_robosmith.diagnose.page import finding_list, page, section, table

if TYPE_CHECKING:
    from rpent_robosmith.diagnose.analysis import Analysis
    from rpent_robosmith.diagnose.columns import Column
    from rpent_robosmith.diagnose.records import DatasetReport, EpisodeRow, NumberSummary

MAX_ROWS = 2_000
"""Episodes that the page lists."""
MAX_PLOTS = 64
"""Numbers of one vector that are plotted."""


def dataset_page(analysis: Analysis) -> str:
    """Return the report as one HTML file."""
    report, scan = analysis.report, analysis.scan
    bounds = None if report.bounds is None else list(zip(report.bounds.low, report.bounds.high, strict=True))
    return page(
        f"{report.source}: {report.episodes} episodes",
        (
            table(("", ""), summary(report)),
            section("Findings", finding_list(report.findings)),
            section("Episodes", _bars(report)),
            section("Actions", _plots(report.actions, scan.action, bounds), _numbers(report.actions)),
            *(
                section(f"State {key}", _plots(numbers, scan.state[key], None), _numbers(numbers))
                for key, numbers in report.state.items()
            ),
            section("Cameras", _cameras(report)),
            section("What failures have in common", _clusters(report)),
            section("Tasks", _tasks(report) if len(report.tasks) > 1 else ""),
            section("Every episode", _episodes(report)),
        ),
    )


def summary(report: DatasetReport) -> list[tuple[str, str]]:
    """Return what the dataset is, in lines of two cells."""
    rows = [
        ("format", report.format),
        ("episodes", f"{report.episodes} ({report.read}), {report.frames} steps"),
        ("rate", "unknown" if report.fps is None else f"{report.fps:g} Hz"),
        ("recorded", ", ".join(part for part in (report.environment, report.robot) if part)),
        ("success", text.success(report)),
        ("success field", report.success_source or "none"),
        ("length", text.spread(report.lengths, "steps")),
        ("return", text.spread(report.returns) if report.returns else ""),
        ("bounds of the action", report.bounds.source if report.bounds else "unknown"),
        ("saturation", text.saturation(report)),
        ("jerk", text.spread(report.jerk, "of the range per step³") if report.jerk else ""),
        ("idle", text.spread(report.idle, f"of the steps (from {report.idle_from})") if report.idle else ""),
    ]
    return [(name, value) for name, value in rows if value]


def _bars(report: DatasetReport) -> str:
    kinds = [{True: "yes", False: "no", None: "unknown"}[row.success] for row in report.rows]
    lengths = svg.bars(
        [float(row.length) for row in report.rows], kinds, title="length, green succeeded, red failed"
    )
    idle = svg.bars([row.idle or 0.0 for row in report.rows], kinds, title="share of idle steps")
    return lengths + idle


def _plots(
    numbers: tuple[NumberSummary, ...], column: Column, bounds: list[tuple[float, float]] | None
) -> str:
    rows = column.sample.rows
    return "".join(
        svg.distribution([rows[:, i]], title=number.name, bounds=bounds[i] if bounds else None)
        for i, number in enumerate(numbers[:MAX_PLOTS])
    )


def _numbers(numbers: tuple[NumberSummary, ...]) -> str:
    header = (
        "number",
        "mean",
        "std",
        "min",
        "1 %",
        "median",
        "99 %",
        "max",
        "at low",
        "at high",
        "not finite",
        "",
    )
    return table(header, [_number(each) for each in numbers])


def _number(each: NumberSummary) -> tuple[str, ...]:
    values = (each.mean, each.std, each.low, each.q01, each.median, each.q99, each.high)
    return (
        each.name,
        *(text.number(value) for value in values),
        "" if each.at_low is None else f"{each.at_low:.1%}",
        "" if each.at_high is None else f"{each.at_high:.1%}",
        str(each.nan + each.infinite) if each.nan or each.infinite else "",
        "constant" if each.constant else "switch" if each.switch else "",
    )


def _cameras(report: DatasetReport) -> str:
    header = ("camera", "size", "episodes", "frames", "missing", "freezes in", "longest", "black", "problem")
    rows = [
        (
            camera.name,
            f"{camera.width}x{camera.height}",
            str(camera.episodes),
            str(camera.frames),
            str(camera.missing_frames),
            str(camera.frozen_episodes),
            str(camera.longest_freeze),
            str(camera.dark_frames),
            camera.problem,
        )
        for camera in report.cameras
    ]
    return table(header, rows)


def _clusters(report: DatasetReport) -> str:
    rows = [(str(each.count), ", ".join(each.traits), ", ".join(each.episodes)) for each in report.clusters]
    return table(("failures", "in common", "episodes"), rows)


def _tasks(report: DatasetReport) -> str:
    rows = [(each.task, str(each.episodes), str(each.successes), str(each.failures)) for each in report.tasks]
    return table(("task", "episodes", "successes", "failures"), rows)


def _episodes(report: DatasetReport) -> str:
    header = (*text.EPISODE_HEADER, "task")
    rows = [(*text.episode(row), _task(row)) for row in report.rows[:MAX_ROWS]]
    rest = len(report.rows) - len(rows)
    return table(header, rows) + (f"<p>… and {rest} more, in the JSON.</p>" if rest else "")


def _task(row: EpisodeRow) -> str:
    return row.task or ""
