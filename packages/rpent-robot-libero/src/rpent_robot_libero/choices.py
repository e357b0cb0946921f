"""The suites and tasks that a dashboard offers. Light: it is asked while somebody types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError
from rpent.specs import Choice

from rpent_robot_libero.catalog import DEFAULT_SUITE, suites, tasks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def choices(field: str, values: Mapping[str, Any]) -> Iterable[Choice]:
    """Return the suites, or the tasks of the suite that `values` names, with their instructions.

    Any seed will do. A suite that does not exist has no tasks.
    """
    libero_type = str(values.get("libero_type") or "pro")
    if field == "suite":
        return [Choice(value=suite) for suite in suites(libero_type)]
    if field != "task":
        return ()
    try:
        found = tasks(str(values.get("suite") or DEFAULT_SUITE), libero_type=libero_type)
    except UsageError:
        return ()
    return [Choice(value=task.index, label=task.instruction) for task in found]
