"""The tasks, suites and splits that a dashboard offers. Light: it is asked while somebody types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError
from rpent.specs import Choice

from rpent_robot_robocasa.catalog import find_task, suites, task_names, tasks
from rpent_robot_robocasa.naming import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rpent_robot_robocasa.catalog import Task

SPLITS = {
    "target": "the 10 kitchens that policies are judged in",
    "pretrain": "the 50 × 50 kitchens that policies are trained in",
    "all": "all 60 × 60 kitchens",
}


def choices(field: str, values: Mapping[str, Any]) -> Iterable[Choice]:
    """Return the tasks (of the suite that `values` names, where it names one), the suites, or the splits.

    A suite that does not exist has no tasks. Any seed, layout and style will do.
    """
    match field:
        case "task_name":
            return [Choice(value=task.name, label=_label(task)) for task in _members(values)]
        case "suite":
            return [Choice(value=suite, label=f"{len(tasks(suite))} tasks") for suite in suites()]
        case "task" if values.get("suite"):
            return [Choice(value=index, label=task.name) for index, task in enumerate(_members(values))]
        case "split":
            return [Choice(value=split, label=label) for split, label in SPLITS.items()]
    return ()


def _members(values: Mapping[str, Any]) -> tuple[Task, ...]:
    suite = values.get("suite")
    try:
        return tasks(str(suite)) if suite else tuple(map(find_task, task_names()))
    except UsageError:
        return ()


def _label(task: Task) -> str:
    return f"{spoken(task.name)} ({task.kind}, {task.group.replace('_', ' ')})"
