"""`rpent memory show`."""

from __future__ import annotations

import click

from rpent.cli.memory.options import known_robots, memory_dir_option, open_store
from rpent.cli.params import verbose_option


@click.command("show")
@click.argument("robot")
@click.argument("what", metavar="[PATH|TASK]", default="MEMORY.md")
@memory_dir_option
@verbose_option
def command(robot: str, what: str, memory_dir: str | None) -> None:
    """Print a file of ROBOT's memory, or all that it holds for one task.

    PATH is as `rpent memory list` prints it; TASK is a task's name, such as `libero_object_swap_t2`. Without either:
    the index.
    """
    from rpent.errors import UsageError
    from rpent.memory.index import entries, render_index
    from rpent.memory.layout import INDEX, TASK, shown
    from rpent.memory.paths import memory_root
    from rpent.printable import printable
    from rpent.suggest import did_you_mean

    root = memory_root(memory_dir)
    (name,) = known_robots(root, robot)
    files = open_store(memory_dir, name).read().files
    tasks = sorted({path.split("/")[1] for path in files if path.startswith(f"{TASK}/")})
    if what == INDEX:
        click.echo(printable(render_index(name, entries(files))), nl=False)
    elif what in files:
        click.echo(printable(files[what].decode()), nl=False)
    elif what in tasks:
        for path in sorted(path for path in files if path.startswith(f"{TASK}/{what}/")):
            click.echo(click.style(f"== {path}", bold=True))
            click.echo(printable(files[path].decode()))
    else:
        raise UsageError(
            f"The memory of `{name}` has no file or task {shown(what)}{did_you_mean(what, [*files, *tasks])}",
            hint=f"`rpent memory list --robot {name}` lists them.",
        )
