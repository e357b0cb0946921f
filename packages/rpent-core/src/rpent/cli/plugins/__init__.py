"""`rpent plugins`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "list": ("rpent.cli.plugins.list:command", "List what is installed, and what is wrong with it."),
    "show": ("rpent.cli.plugins.show:command", "Show one plugin: origin, services, options, faults."),
    "disable": ("rpent.cli.plugins.disable:command", "Leave a plugin out from now on."),
    "enable": ("rpent.cli.plugins.enable:command", "Use a plugin again that was disabled."),
}


@click.command("plugins", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """List and examine the installed plugins. Works with every plugin broken."""
