"""`rpent smith runs`."""

import click
from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "list": ("rpent_robosmith.cli.runs.list:command", "List the runs, the newest first."),
    "show": ("rpent_robosmith.cli.runs.show:command", "Show how a run went and what it delivered."),
    "compare": ("rpent_robosmith.cli.runs.compare:command", "Compare two runs, with intervals."),
    "remove": ("rpent_robosmith.cli.runs.remove:command", "Delete runs with everything in them."),
}


@click.command("smith.runs", cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """List, show, compare and remove runs."""
