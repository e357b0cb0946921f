"""`rpent env`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "sync": ("rpent.cli.env.sync:command", "Build an environment, or bring it up to date."),
    "list": ("rpent.cli.env.list:command", "List the environments and their state."),
    "run": ("rpent.cli.env.run:command", "Run a command in an environment."),
    "path": ("rpent.cli.env.path:command", "Print where an environment is."),
    "remove": ("rpent.cli.env.remove:command", "Remove an environment from the disk."),
}


@click.command("env", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """Managed environments: an interpreter of its own for a simulator or a model, built by uv from a lock."""
