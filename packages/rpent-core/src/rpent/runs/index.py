"""The runs of an output directory."""

from __future__ import annotations

import fcntl
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rpent.errors import RpentError, RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.runs.directory import GROUP, RunDirectory
from rpent.runs.processes import planner_names
from rpent.suggest import did_you_mean


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """One line of `rpent runs list`."""

    name: str
    """Path below the output directory."""
    path: str
    created: float
    """Seconds since the epoch."""
    robot: str
    planner: str
    """The planner that it was started with."""
    instruction: str
    state: str
    """`running`, `ended` or `interrupted` (killed, or never closed)."""
    benchmark_success: bool | None = None
    planner_status: str | None = None
    reason: str | None = None
    attempts: int | None = None
    """How many attempts an exploring run made."""
    planners: tuple[str, ...] = ()
    """Every planner that worked on it; more than one where it was resumed with another."""
    problem: str = ""
    """Why the run cannot be read."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def list_runs(output_dir: Path) -> list[RunSummary]:
    """Return the runs, newest first; a damaged one is listed with its problem.

    Raises:
        RunDirectoryError: There is no such directory.
    """
    if not output_dir.is_dir():
        raise RunDirectoryError(
            f"There is no directory `{output_dir}`.",
            hint="`rpent run` makes it; `--output-dir` names another.",
        )
    manifests = [*output_dir.glob("*/run.json"), *output_dir.glob(f"*{GROUP}*/*/run.json")]
    found = [summary(path.parent, output_dir) for path in manifests]
    return sorted(found, key=lambda run: (run.created, run.name), reverse=True)


def summary(path: Path, output_dir: Path) -> RunSummary:
    """Describe one run of an output directory."""
    name = str(path.relative_to(output_dir))
    try:
        values = RunDirectory(path).read_manifest()
        outcome = values.get("outcome") or {}
        return RunSummary(
            name=name,
            path=str(path),
            created=float(values["created"]),
            robot=str(values["robot"]["name"]),
            planner=str(values["planner"]["name"]),
            instruction=str(values["task"]["instruction"]),
            state="ended" if outcome else "running" if is_locked(path) else "interrupted",
            benchmark_success=outcome.get("benchmark_success"),
            planner_status=outcome.get("planner_status"),
            reason=outcome.get("reason"),
            attempts=len(values["attempts"]) if "attempts" in values else None,
            planners=tuple(planner_names(values)),
        )
    except (RpentError, AttributeError, KeyError, TypeError, ValueError) as error:
        return RunSummary(
            name=name,
            path=str(path),
            created=0.0,
            robot="",
            planner="",
            instruction="",
            state="damaged",
            problem=str(error),
        )


def is_locked(path: Path) -> bool:
    """Whether a process is writing the run."""
    try:
        file = os.open(path / ".lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def find_run(text: str, output_dir: Path) -> Path:
    """Return the run that a path, a name in `output_dir`, or `latest` stands for.

    Raises:
        UsageError: There is none.
    """
    path = expanded(text)
    if path.is_dir():
        return path
    if path.name in {"run.json", "events.jsonl", "recipe.jsonl"} and path.is_file():
        return path.parent
    if (output_dir / text).is_dir():
        return output_dir / text
    runs = list_runs(output_dir) if output_dir.is_dir() else []
    if text == "latest" and runs:
        return Path(runs[0].path)
    raise UsageError(
        f"There is no run `{text}`{did_you_mean(text, [run.name for run in runs])}",
        hint=f"Give the path of a run directory, a name in `{output_dir}`, or `latest`.",
    )
