"""What of a report somebody who uses the dataset should know first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rpent_robosmith.diagnose.records import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.diagnose.records import CameraSummary, DatasetReport, NumberSummary

OFTEN_SATURATED = 0.5
"""Share of steps at a bound from which a number is worth a word."""
OFTEN_IDLE = 0.3
SHORTEST = 5
"""Steps: shorter episodes are hardly episodes."""
_Severity = Literal["error", "warning", "info"]
_ORDER = {"error": 0, "warning": 1, "info": 2}


def findings(report: DatasetReport, notes: Sequence[str]) -> tuple[Finding, ...]:
    """Return the findings, errors first."""
    found = [
        *_numbers(report),
        *_episodes(report),
        *_saturation(report),
        *(finding for camera in report.cameras for finding in _camera(camera, report)),
        *_timing(report),
        *(_of("info", "note", note) for note in notes),
    ]
    return tuple(sorted(found, key=lambda finding: _ORDER[finding.severity]))


def _of(severity: _Severity, kind: str, text: str, count: int | None = None) -> Finding:
    return Finding(severity=severity, kind=kind, text=text, count=count)


def _numbers(report: DatasetReport) -> Iterator[Finding]:
    vectors: dict[str, tuple[NumberSummary, ...]] = {"action": report.actions, **report.state}
    for key, numbers in vectors.items():
        broken = [number for number in numbers if number.nan or number.infinite]
        if broken:
            count = sum(number.nan + number.infinite for number in broken)
            text = f"{count} numbers of `{key}` are NaN or infinite, in {_listed(broken)}."
            yield _of("error", "not_finite", text, count)
        constant = [number for number in numbers if number.constant]
        if constant:
            text = f"{_listed(constant)} of `{key}` never change{'s' if len(constant) == 1 else ''}."
            yield _of("warning" if key == "action" else "info", "constant", text, len(constant))


def _episodes(report: DatasetReport) -> Iterator[Finding]:
    rows = report.rows
    if copies := [row for row in rows if row.duplicate_of]:
        first = f"`{copies[0].name}` is `{copies[0].duplicate_of}` again"
        text = f"{len(copies)} episodes are there more than once: {first}{', …' if len(copies) > 1 else '.'}"
        yield _of("warning", "duplicates", text, len(copies))
    if same := [row for row in rows if row.same_actions_as]:
        first = f"`{same[0].name}` has those of `{same[0].same_actions_as}`"
        text = f"{len(same)} episodes repeat the actions of another one with another state: {first}."
        yield _of("info", "same_actions", text, len(same))
    if short := [row for row in rows if row.length < SHORTEST]:
        yield _of("warning", "short", f"{len(short)} episodes have fewer than {SHORTEST} steps.", len(short))
    if idle := [row for row in rows if (row.idle or 0.0) >= OFTEN_IDLE]:
        text = f"{len(idle)} episodes stand still in at least {OFTEN_IDLE:.0%} of their steps."
        yield _of("warning", "idle", text, len(idle))
    if report.successes + report.failures and report.unknown:
        text = f"The success of {report.unknown} of {report.episodes} episodes is not recorded."
        yield _of("info", "success_unknown", text, report.unknown)


def _saturation(report: DatasetReport) -> Iterator[Finding]:
    if report.bounds is None:
        text = (
            "The action's bounds are unknown, so no saturation is stated: name the environment with `--env`."
        )
        yield _of("info", "bounds_unknown", text)
        return
    outside = [number for number in report.actions if number.outside]
    if outside:
        verb = "leaves" if len(outside) == 1 else "leave"
        text = f"{_listed(outside)} of the action {verb} the bounds ({report.bounds.source})."
        yield _of("error", "outside_bounds", text, len(outside))
    often = [
        number
        for number in report.actions
        if not number.switch
        and not number.constant
        and (number.at_low or 0.0) + (number.at_high or 0.0) >= OFTEN_SATURATED
    ]
    if often:
        verb = "is" if len(often) == 1 else "are"
        share = f"{OFTEN_SATURATED:.0%}"
        text = f"{_listed(often)} of the action {verb} at a bound in at least {share} of the steps."
        yield _of("warning", "saturated", text, len(often))


def _camera(camera: CameraSummary, report: DatasetReport) -> Iterator[Finding]:
    name = f"The camera `{camera.name}`"
    if camera.problem:
        yield _of("error", "pictures_unreadable", f"{name} cannot be read: {camera.problem}")
    elif camera.missing_frames:
        text = f"{name} lacks {camera.missing_frames} of {camera.frames + camera.missing_frames} frames."
        yield _of("error", "frames_missing", text, camera.missing_frames)
    if camera.frozen_episodes:
        text = (
            f"{name} freezes in {camera.frozen_episodes} of {camera.episodes} episodes while the robot moves, "
            f"for {camera.longest_freeze} frames at most."
        )
        yield _of("warning", "camera_freeze", text, camera.frozen_episodes)
    if camera.dark_frames:
        yield _of("warning", "dark", f"{name} is black in {camera.dark_frames} frames.", camera.dark_frames)
    if camera.other_size:
        text = f"{camera.other_size} frames of `{camera.name}` are not {camera.width}x{camera.height}, as declared."
        yield _of("error", "picture_size", text, camera.other_size)
    if camera.episodes < report.episodes and not camera.problem:
        seen = f"{camera.episodes} of {report.episodes} episodes"
        text = f"Pictures of `{camera.name}`: {seen} were looked at (`--pictures`)."
        yield _of("info", "pictures_in_part", text, camera.episodes)


def _timing(report: DatasetReport) -> Iterator[Finding]:
    timing = report.timing
    if timing is None:
        return
    if timing.backwards:
        yield _of(
            "error", "time_backwards", f"Time does not advance in {timing.backwards} steps.", timing.backwards
        )
    if timing.off:
        text = (
            f"{timing.off} of {timing.steps} steps are not 1/{report.fps:g} s long; the longest takes "
            f"{timing.largest_gap_s:.3f} s."
        )
        yield _of("warning", "time_off", text, timing.off)


def _listed(numbers: Sequence[NumberSummary]) -> str:
    names = [f"`{number.name}`" for number in numbers[:4]]
    return ", ".join(names) + (f" and {len(numbers) - 4} more" if len(numbers) > 4 else "")
