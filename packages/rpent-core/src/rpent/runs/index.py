"""The runs of an output directory."""

from __future__ import annotations

import fcntl
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError, RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.runs.directory import RunDirectory, manifests_in
from rpent.runs.processes import planner_names
from rpent.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 2**53
"""Whole numbers above it are not exact where JSON is read."""


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
    detail: str = ""
    """What the outcome says in words."""
    finished: float | None = None
    """Seconds since the epoch."""
    duration_s: float | None = None
    """Time that the processes of the run took together, those that closed it."""
    suite: str | None = None
    """The benchmark's suite, for robots that have suites."""
    task: str | None = None
    """The task in its suite; the tag for robots that do not say."""
    seed: int | None = None
    model: str | None = None
    """The model that answered, or the one that the planner was told to ask."""
    policy: str | None = None
    """Backend of the policy server."""
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    turns: int | None = None
    tool_calls: int | None = None
    env_steps: int | None = None
    caveats: tuple[str, ...] = ()
    """Why its result is not the benchmark's; such a run is not published."""

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
    found = [summary(path.parent, output_dir) for path in manifests_in(output_dir)]
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
            detail=str(outcome.get("detail", "")),
            caveats=tuple(str(caveat) for caveat in values.get("caveats", ())),
            **task_facts(values),
            **run_facts(values),
        )
    except (RpentError, AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
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


def task_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what run.json says of the task, the model and the policy, as fields of a `RunSummary`."""
    task, usage = _table(manifest, "task"), _table(manifest, "usage")
    planner, policy = _table(manifest, "planner"), _table(manifest, "policy")
    for process in _processes(manifest):
        planner = _table(process, "planner") or planner
    seed = task.get("seed")
    return {
        "suite": _text(task.get("suite")),
        "task": _text(task.get("task")) or _text(task.get("tag")),
        "seed": seed if isinstance(seed, int) else None,
        "model": _text(usage.get("model")) or _text(_table(planner, "config").get("model")),
        "policy": _text(policy.get("name")) or _text(_table(policy, "served").get("backend")),
    }


def run_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what run.json says of time, cost and counts, as fields of a `RunSummary`; None for what is missing."""
    usage, counts = _table(manifest, "usage"), _table(manifest, "counts")
    times = [
        process["finished"] - process["started"]
        for process in _processes(manifest)
        if _number(process.get("finished")) is not None and _number(process.get("started")) is not None
    ]
    return {
        "finished": _number(manifest.get("finished")),
        "duration_s": round(sum(times), 3) if times else None,
        "cost_usd": _number(usage.get("cost_usd")),
        **{name: _number(usage.get(name)) for name in ("input_tokens", "output_tokens")},
        **{name: _number(counts.get(name)) for name in ("turns", "tool_calls", "env_steps")},
    }


def _processes(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = manifest.get("processes")
    return [process for process in found if isinstance(process, dict)] if isinstance(found, list) else []


def _table(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str | None:
    return (
        str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None
    )


def _number(value: Any) -> Any:
    """Return a number that one can count on with: no NaN, no infinity, nothing that no float holds."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
    return value if number else None


def is_locked(path: Path) -> bool:
    """Whether a process is writing the run."""
    try:
        file = os.open(path / ".lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
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
