"""`rpent memory`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "list": ("rpent.cli.memory.list:command", "List the notes and recipes that were learned."),
    "show": ("rpent.cli.memory.show:command", "Print a note or a recipe, or what a task sees."),
    "validate": ("rpent.cli.memory.validate:command", "Check a memory, or drafts for it."),
    "merge": ("rpent.cli.memory.merge:command", "Take in what a run learned."),
    "export": ("rpent.cli.memory.export:command", "Write a robot's memory into a file."),
    "import": ("rpent.cli.memory.import_:command", "Take in what such a file holds."),
}


@click.command("memory", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """What earlier runs of a robot learned: notes, and recipes of solved tasks."""
