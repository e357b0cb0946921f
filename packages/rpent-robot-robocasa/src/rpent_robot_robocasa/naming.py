"""Which task the options mean, and how its name is spoken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rpent.errors import UsageError

from rpent_robot_robocasa.catalog import find_task, tasks
from rpent_robot_robocasa.config import DEFAULT_TASK

if TYPE_CHECKING:
    from rpent_robot_robocasa.catalog import Task

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[0-9]+")


def spoken(task_name: str) -> str:
    """Return a task's name as words: `PickPlaceCounterToSink` → `pick place counter to sink`."""
    return " ".join(_WORD.findall(task_name)).lower()


def chosen_task(*, task_name: str | None, suite: str | None, index: int | None) -> Task:
    """Return the task that is meant, by its name or by its place in a suite; the default one where nothing is said.

    A name together with a suite is accepted where the suite holds the task.

    Raises:
        UsageError: The options contradict one another, or what they name does not exist.
    """
    if task_name is None and suite is None and index is None:
        return find_task(DEFAULT_TASK)
    if task_name is None:
        return _by_index(suite, index)
    if index is not None:
        raise UsageError(
            f"`--task {index}` and `--task-name {task_name}` both choose a task.",
            hint="Leave one of them out.",
        )
    task = find_task(task_name)
    if suite is not None and task.name not in {member.name for member in tasks(suite)}:
        raise UsageError(
            f"The task `{task.name}` is not in the suite `{suite}`.",
            hint=f"Leave `--suite` out: `--task-name {task.name}`.",
        )
    return task


def _by_index(suite: str | None, index: int | None) -> Task:
    if suite is None:
        raise UsageError(
            f"`--task {index}` counts in a suite, and none is named.",
            hint=f"Name one, `--suite atomic_seen --task {index}`, or a task, `--task-name {DEFAULT_TASK}`.",
        )
    members = tasks(suite)
    if index is None:
        raise UsageError(
            f"The suite `{suite}` has {len(members)} tasks, and none of them is chosen.",
            hint=f"Use `--task` 0 to {len(members) - 1}, or `--task-name {members[0].name}`.",
        )
    if not 0 <= index < len(members):
        raise UsageError(
            f"Task {index} is out of range: suite `{suite}` has {len(members)} tasks.",
            hint=f"Use `--task` 0 to {len(members) - 1}.",
        )
    return members[index]
