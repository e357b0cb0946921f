"""The tasks of RoboCasa365 and its named lists of them, read from package data: no simulator is needed.

`tools/build_robocasa_catalog.py` writes the data from the installed benchmark. A task's instruction is not among them:
it names what the seed draws, and is known after a reset.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

from rpent.errors import UsageError

Kind = Literal["atomic", "composite"]

TARGET50 = ("atomic_seen", "composite_seen", "composite_unseen")
"""The three suites that published results are about, together `target50`."""

TYPICAL_HORIZON: dict[Kind, int] = {"atomic": 450, "composite": 2250}
"""Control steps for a task without a horizon in the benchmark: the most common, and the median, of those that have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One task."""

    name: str
    """The simulator's class, such as `OpenDrawer`."""
    kind: Kind
    group: str
    """What it is about: the file or folder of the benchmark that has it (`drawer`, `brewing`)."""
    benchmark_horizon: int | None
    """The benchmark's number of control steps; None where it gives none, and counts no results of the task."""
    excluded_layouts: frozenset[int]
    """Floor plans that the benchmark leaves out for this task."""
    excluded_styles: frozenset[int]

    @property
    def horizon(self) -> int:
        """Control steps until an episode ends."""
        return self.benchmark_horizon or TYPICAL_HORIZON[self.kind]


@cache
def _catalog() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files(__package__) / "data/tasks.json").read_text(encoding="utf-8"))
    return data


@cache
def task_names(kind: Kind | None = None) -> tuple[str, ...]:
    """Return the names of all tasks that can be run, in alphabetical order."""
    tasks_ = _catalog()["tasks"].items()
    return tuple(name for name, entry in tasks_ if "abstract" not in entry and kind in (None, entry["kind"]))


def suites() -> tuple[str, ...]:
    """Return the names of the benchmark's lists of tasks; those of published results come first."""
    names = tuple(_catalog()["suites"])
    return (*TARGET50, "target50", *(name for name in names if name not in (*TARGET50, "target50")))


def tasks(suite: str) -> tuple[Task, ...]:
    """Return a suite's tasks in the benchmark's own order.

    Raises:
        UsageError: There is no such suite.
    """
    members = _catalog()["suites"].get(suite)
    if members is None:
        raise UsageError(
            f"Unknown suite `{suite}`.{_guess(suite, suites())}", hint=f"Suites: {', '.join(suites())}."
        )
    return tuple(find_task(name) for name in members)


def find_task(name: str) -> Task:
    """Return one task.

    Raises:
        UsageError: There is no such task, or it is a base class of others.
    """
    entry = _catalog()["tasks"].get(name)
    if entry is None:
        raise UsageError(
            f"Unknown task `{name}`.{_guess(name, task_names())}",
            hint="`rpent robocasa tasks` lists all, such as OpenDrawer or PrepareCoffee.",
        )
    if "abstract" in entry:
        raise UsageError(
            f"Task `{name}` cannot be run: {entry['abstract']}.{_guess(name, task_names())}",
            hint="`rpent robocasa tasks` lists those that can.",
        )
    return Task(
        name=name,
        kind=cast("Kind", entry["kind"]),
        group=entry["group"],
        benchmark_horizon=entry["horizon"],
        excluded_layouts=frozenset(entry.get("exclude_layouts", ())),
        excluded_styles=frozenset(entry.get("exclude_styles", ())),
    )


def _guess(name: str, accepted: tuple[str, ...]) -> str:
    lowered = {known.lower(): known for known in accepted}
    close = get_close_matches(name.lower(), lowered, n=1)
    return f" Did you mean `{lowered[close[0]]}`?" if close else ""
