"""`rpent memory validate`."""

from __future__ import annotations

from pathlib import Path

import click

from rpent.cli.memory.options import known_robots, memory_dir_option, open_store, print_problems, robot_option
from rpent.cli.params import verbose_option


@click.command("validate")
@click.argument("drafts", required=False, type=click.Path(exists=True, file_okay=False))
@robot_option
@memory_dir_option
@verbose_option
def command(drafts: str | None, robot: str | None, memory_dir: str | None) -> int:
    """Check the folder DRAFTS (or the run directory that holds one); without it, the memory itself.

    Exit codes: 0 nothing is wrong, 1 something is.
    """
    from rpent.memory.layout import DRAFTS
    from rpent.memory.paths import memory_root
    from rpent.memory.validate import validate

    if drafts is not None:
        folder = Path(drafts)
        problems = validate(folder / DRAFTS if (folder / "run.json").is_file() else folder)
        print_problems(problems)
        click.echo(f"{len(problems)} problems." if problems else "The drafts can be merged.")
        return 1 if problems else 0
    count = 0
    for name in known_robots(memory_root(memory_dir), robot):
        found = open_store(memory_dir, name).read()
        print_problems(found.problems, f"{name}: ")
        count += len(found.problems)
        click.echo(f"{name}: {len(found.files)} valid files, {len(found.problems)} problems.")
    return 1 if count else 0
