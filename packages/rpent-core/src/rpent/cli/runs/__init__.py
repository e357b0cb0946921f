"""`rpent runs`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "list": ("rpent.cli.runs.list:command", "List recorded runs, the newest first."),
}


@click.command("runs", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """List recorded runs."""
