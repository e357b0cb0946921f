"""`rpent new`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "robot": ("rpent.cli.new.robot:command", "A robot: env server, tools and tests."),
}


@click.command("new", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """Start a new plugin from a template whose tests pass."""
