"""Which planner each process of a run used: a resumed run may go on with another one, or with other options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannerChange:
    """How a process's planner differs from the one that the run was started with; false where it does not."""

    planner: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the same planner those that differ, of another one those that were given."""

    def __bool__(self) -> bool:
        return bool(self.planner)

    def __str__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.planner} ({options})" if options else self.planner


def planners_of(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the planner of each process, as run.json describes a planner; never empty."""
    started: dict[str, Any] = manifest["planner"]
    return [process.get("planner", started) for process in manifest["processes"]] or [started]


def planner_names(manifest: Mapping[str, Any]) -> list[str]:
    """Return the name of every planner of a run, in the order of their work."""
    return list(dict.fromkeys(str(planner["name"]) for planner in planners_of(manifest)))


def last_request(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request that the last process carried out."""
    last = manifest["processes"][-1] if manifest["processes"] else {}
    return {**manifest["request"], **last.get("request", {})}


def planner_changes(manifest: Mapping[str, Any]) -> list[PlannerChange]:
    """Return, for each process, how its planner differs from the one that the run was started with."""
    started = manifest["planner"]
    return [_change(started, process) for process in manifest["processes"]]


def _change(started: Mapping[str, Any], process: Mapping[str, Any]) -> PlannerChange:
    now = process.get("planner", started)
    if now["name"] != started["name"]:
        return PlannerChange(planner=now["name"], options=process["request"]["planner_config"])
    before = started.get("config", {})
    options = {name: value for name, value in now["config"].items() if before.get(name, value) != value}
    return PlannerChange(planner=now["name"], options=options) if options else PlannerChange()
