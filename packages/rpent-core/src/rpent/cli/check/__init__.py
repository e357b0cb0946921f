"""`rpent check`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "planner": (
        "rpent.cli.check.planner:command",
        "Try a planner's model with one picture and one tool call.",
    ),
}


@click.command("check", cls=LazyGroup, table=COMMANDS)
def group() -> None:
    """Try one thing for real, without a robot: is it there, how fast is it, what does it cost."""
