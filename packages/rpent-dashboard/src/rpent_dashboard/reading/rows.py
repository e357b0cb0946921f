"""A row of the library: one run in a line."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rpent.runs.index import is_locked, run_facts, task_facts

from rpent_dashboard.reading.keys import key_of
from rpent_dashboard.reading.manifests import head, name_of, outcome_of, read_manifest, salvaged, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_dashboard.reading.manifests import Manifest


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One run; what is not known is None."""

    key: str
    name: str
    """Path below the output directory."""
    session: str | None = None
    """The group that it belongs to."""
    created: float | None = None
    finished: float | None = None
    duration_s: float | None = None
    robot: str | None = None
    suite: str | None = None
    task: str | None = None
    seed: int | None = None
    instruction: str | None = None
    planner: str | None = None
    planners: tuple[str, ...] = ()
    model: str | None = None
    policy: str | None = None
    state: str = "damaged"
    """`running`, `ended`, `interrupted` or `damaged`."""
    outcome: str = "damaged"
    """`success`, `failure`, `unknown`, `interrupted`, `infrastructure`; the state where it has not ended."""
    benchmark_success: bool | None = None
    planner_status: str | None = None
    reason: str | None = None
    detail: str | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    turns: int | None = None
    tool_calls: int | None = None
    env_steps: int | None = None
    attempts: int | None = None
    has_video: bool = False
    thumbnail: dict[str, str] | None = None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in _NAMES}


_NAMES = tuple(field.name for field in fields(Row))


def row_of(run: Path, output_dir: Path, manifest: Manifest | None = None) -> Row | None:
    """Describe a run, as far as it can be read; None for a folder that has no key."""
    key = key_of(run, output_dir)
    if key is None:
        return None
    manifest = manifest or read_manifest(run)
    values = manifest.values
    known = head(values)
    if not {"robot", "created", "instruction"} <= known.keys():
        known = salvaged(run) | known
    name = str(run.relative_to(output_dir))
    facts: dict[str, Any] = {
        **{name: known.get(name) for name in ("created", "robot", "planner", "instruction")},
        **_facts(values, known),
    }
    row = Row(
        key=key,
        name=name,
        session=name.rpartition("/")[0] or None,
        has_video=has_video(run),
        problem=manifest.problem or (text(values.get("problem")) or ""),
        planners=_planners(values, known),
        attempts=len(values["attempts"]) if isinstance(values.get("attempts"), list) else None,
        **facts,
    )
    return _with_outcome(row, run, manifest)


def _facts(values: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    facts = {**task_facts(values), **run_facts(values)}
    facts["task"] = facts["task"] or known.get("tag")
    facts["seed"] = known.get("seed") if facts["seed"] is None else facts["seed"]
    return facts


def _planners(values: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every planner that worked on it, in the order of their work."""
    processes = values.get("processes")
    names = [known.get("planner")]
    for process in processes if isinstance(processes, list) else ():
        names.append(name_of(process.get("planner")) if isinstance(process, dict) else None)
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def _with_outcome(row: Row, run: Path, manifest: Manifest) -> Row:
    locked = is_locked(run)
    outcome = {} if locked and manifest.values.get("outcome") is None else outcome_of(run, manifest.values)
    success, reason = outcome.get("benchmark_success"), text(outcome.get("reason"))
    state = "ended" if outcome and manifest.readable else "running" if locked else "interrupted"
    if not locked and not manifest.readable:
        state = "damaged"
    return replace(
        row,
        state=state,
        outcome=verdict(success, reason) if state == "ended" else state,
        benchmark_success=success if isinstance(success, bool) else None,
        planner_status=text(outcome.get("planner_status")),
        reason=reason,
        detail=text(outcome.get("detail")),
        problem="" if state == "running" and manifest.version == "missing" else row.problem,
    )


def verdict(success: Any, reason: str | None) -> str:
    """Return how a run that ended came out, in one word; the planner's own claim does not count.

    The run page says the same of its events (`head.js`).
    """
    if success is True:
        return "success"
    if reason in ("interrupted", "infrastructure"):
        return reason
    return "failure" if success is False else "unknown"


def has_video(run: Path) -> bool:
    """Whether the episode's video can be shown."""
    try:
        return (run / "episode.mp4").stat().st_size > 0
    except OSError:
        return False
