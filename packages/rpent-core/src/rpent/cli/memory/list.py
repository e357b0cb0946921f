"""`rpent memory list`."""

from __future__ import annotations

from typing import Any

import click

from rpent.cli.memory.options import known_robots, memory_dir_option, open_store, print_problems, robot_option
from rpent.cli.params import json_option, verbose_option


@click.command("list")
@robot_option
@memory_dir_option
@json_option
@verbose_option
def command(robot: str | None, memory_dir: str | None, as_json: bool) -> None:
    """List the notes and recipes that were learned, with title and summary."""
    from rpent.memory.index import entries
    from rpent.memory.paths import memory_root
    from rpent.printable import printable

    root = memory_root(memory_dir)
    document: dict[str, Any] = {"version": 1, "memory_dir": str(root), "robots": {}}
    for name in known_robots(root, robot):
        found = open_store(memory_dir, name).read()
        listed = entries(found.files)
        document["robots"][name] = {
            "files": [entry.to_json() for entry in listed],
            "problems": [{"path": problem.path, "text": problem.text} for problem in found.problems],
        }
        if not as_json:
            click.echo(click.style(name, bold=True))
            for entry in listed:
                click.echo(f"  {entry.path}  {printable(entry.title)}. {printable(entry.summary)}")
            print_problems(found.problems, "  Left out: ")
    if as_json:
        import json

        click.echo(json.dumps(document, indent=2))
    elif not document["robots"]:
        click.echo(f"Nothing was learned yet (`{root}`).")
