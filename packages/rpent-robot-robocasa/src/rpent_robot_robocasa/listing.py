"""`rpent robocasa tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rpent.cli.params import json_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robot_robocasa.catalog import Task


@click.command("tasks")
@click.option("--suite", help="Only the tasks of this suite, in its order.")
@click.option("--kind", type=click.Choice(["atomic", "composite"]), help="Only tasks of this kind.")
@json_option
@verbose_option
def command(suite: str | None, kind: str | None, as_json: bool) -> None:
    """List the tasks that can be run, by the name that `--task-name` takes."""
    import json  # noqa: PLC0415

    from rpent_robot_robocasa.catalog import find_task, task_names, tasks  # noqa: PLC0415

    members = tasks(suite) if suite else tuple(map(find_task, task_names()))
    found = [(index, task) for index, task in enumerate(members) if kind in (None, task.kind)]
    if as_json:
        rows = [{"task": index, **_facts(task)} if suite else _facts(task) for index, task in found]
        click.echo(json.dumps({"version": 1, "suite": suite, "tasks": rows}, indent=2))
    else:
        _table(found, numbered=suite is not None)


def _facts(task: Task) -> dict[str, object]:
    return {
        "name": task.name,
        "kind": task.kind,
        "group": task.group,
        "horizon": task.benchmark_horizon,
    }


def _table(found: Sequence[tuple[int, Task]], *, numbered: bool) -> None:
    """Print a task a line: its number in the suite where there is one, name, kind, group and horizon."""
    width = max((len(task.name) for _, task in found), default=0)
    for index, task in found:
        number = f"{index:>3}  " if numbered else ""
        horizon = f"{task.benchmark_horizon:>5} steps" if task.benchmark_horizon else " no horizon"
        group = task.group.replace("_", " ")
        click.echo(f"{number}{task.name:<{width}}  {task.kind:<9}  {horizon}  {group}")
