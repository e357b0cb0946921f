"""`rpent memory export`."""

from __future__ import annotations

import click

from rpent.cli.memory.options import memory_dir_option, one_robot, open_store, print_problems, robot_option
from rpent.cli.params import verbose_option


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False))
@robot_option
@memory_dir_option
@verbose_option
def command(file: str, robot: str | None, memory_dir: str | None) -> None:
    """Write a robot's memory into FILE (`.tar.gz`), to pass on; `rpent memory import` takes it in elsewhere."""
    from rpent.home import expanded
    from rpent.memory.archive import export
    from rpent.memory.paths import memory_root

    store = open_store(memory_dir, one_robot(memory_root(memory_dir), robot))
    count = export(store, expanded(file))
    print_problems(store.read().problems, "Left out: ")
    click.echo(f"Wrote {count} files of `{store.robot}` to `{file}`.")
