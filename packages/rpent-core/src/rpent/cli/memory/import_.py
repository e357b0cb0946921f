"""`rpent memory import`."""

from __future__ import annotations

from pathlib import Path

import click

from rpent.cli.memory.options import memory_dir_option, open_store, robot_option
from rpent.cli.params import verbose_option


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace files that the memory has with another content.")
@robot_option
@memory_dir_option
@verbose_option
def command(file: str, replace: bool, robot: str | None, memory_dir: str | None) -> int:
    """Take in FILE, which `rpent memory export` wrote. Files that differ are kept, and reported.

    Planners read what is in it: import only from whom you trust.

    Exit codes: 0 all of it was taken, 1 some files were kept as they are.
    """
    from rpent.errors import UsageError
    from rpent.memory.archive import import_, read_archive

    archive = read_archive(Path(file))
    if robot not in (None, archive.robot):
        raise UsageError(f"`{file}` is of the robot `{archive.robot}`, not `{robot}`.")
    done = import_(open_store(memory_dir, archive.robot), archive, replace=replace)
    for word, paths in (("Added", done.added), ("Replaced", done.replaced)):
        for path in paths:
            click.echo(f"{word}: {path}")
    for path in done.conflicts:
        click.echo(f"Kept, though it differs: {path}", err=True)
    if done.conflicts:
        click.echo("`--replace` takes the file's instead.", err=True)
    click.echo(f"{len(done.added) + len(done.replaced)} files taken, {len(done.unchanged)} the same.")
    return 1 if done.conflicts else 0
