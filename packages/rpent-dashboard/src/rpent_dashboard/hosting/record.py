"""What happened in a session: the fold of its journal."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Status = Literal["queued", "starting", "running", "ended", "interrupted", "withdrawn", "failed"]
UNDER_WAY = ("starting", "running")
VERDICT = ("outcome", "benchmark_success", "detail", "hint", "run")
"""Fields of a task that its end tells."""


@dataclass(slots=True, kw_only=True)
class Task:
    """One task of a session."""

    id: str
    values: dict[str, Any]
    """Values of the robot's config model that differ from the session's."""
    planner: str
    planner_config: dict[str, Any]
    """As recorded: without secrets."""
    model: str | None = None
    label: str = ""
    tag: str = ""
    status: Status = "queued"
    run: str | None = None
    """Key of its run."""
    outcome: str | None = None
    benchmark_success: bool | None = None
    detail: str = ""
    hint: str = ""
    queued_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


_TASK = TypeAdapter(Task)


@dataclass(slots=True, kw_only=True)
class Record:
    """A session as its journal tells it."""

    robot: str = ""
    created: float = 0.0
    request: dict[str, Any] = field(default_factory=dict)
    """The base request, as `request_to_json` writes it."""
    tasks: dict[str, Task] = field(default_factory=dict)
    services: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Name → the last that was heard of a service that the session keeps."""
    closed: bool = False

    def apply(self, entry: Mapping[str, Any]) -> None:
        """Take in one entry; one of an unknown type, or of an unknown task, changes nothing."""
        kind, time = entry.get("type"), float(entry.get("time", 0.0))
        if kind == "opened":
            self.robot, self.created = str(entry["robot"]), time
            self.request = dict(entry["request"])
        elif kind == "continued":
            self.closed = False
            self.services.clear()
            self._interrupt()
        elif kind == "closed":
            self.closed = True
            self.services.clear()
        elif kind == "service":
            self.services[str(entry["service"])] = {
                name: entry.get(name, "") for name in ("service", "state", "detail")
            }
        elif kind == "queued":
            known = {name: entry[name] for name in Task.__dataclass_fields__ if name in entry}
            queued = _TASK.validate_python({**known, "queued_at": time})
            self.tasks[queued.id] = queued
        elif (task := self.tasks.get(str(entry.get("id")))) is not None:
            _advance(task, str(kind), time, entry)

    def queued(self) -> list[Task]:
        """Return the tasks that wait, the next one first."""
        return [task for task in self.tasks.values() if task.status == "queued"]

    def interrupted(self) -> list[Task]:
        """Return the tasks whose runs did not come to their end."""
        return [task for task in self.tasks.values() if task.status in ("interrupted", *UNDER_WAY)]

    def _interrupt(self) -> None:
        """Settle what was under way when the process that held the session ended."""
        for task in self.tasks.values():
            if task.status in UNDER_WAY:
                task.status, task.outcome = "interrupted", "interrupted"
                task.detail = task.detail or "The process of the session ended."


def _advance(task: Task, kind: str, time: float, entry: Mapping[str, Any]) -> None:
    if kind == "started":
        task.status, task.started_at = "starting", time
    elif kind == "run":
        task.run = str(entry["run"])
    elif kind == "running":
        task.status = "running"
    elif kind == "withdrawn":
        task.status, task.ended_at = "withdrawn", time
    elif kind == "ended":
        known = {name: entry[name] for name in ("status", *VERDICT) if name in entry}
        ended = _TASK.validate_python({**asdict(task), **known})
        task.ended_at, task.status = time, ended.status
        for name in VERDICT:
            setattr(task, name, getattr(ended, name))


def fold(entries: Iterable[Mapping[str, Any]]) -> Record:
    """Return what a journal tells; an entry that is not as it should be is passed over."""
    record = Record()
    for entry in entries:
        try:
            record.apply(entry)
        except (KeyError, OverflowError, TypeError, ValueError):
            continue
    return record
