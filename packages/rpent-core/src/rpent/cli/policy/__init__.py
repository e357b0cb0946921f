"""`rpent policy`."""

import click

from rpent.cli.lazy import LazyGroup

COMMANDS = {
    "list": ("rpent.cli.policy.list:command", "List the backends, and where they can run."),
    "inspect": (
        "rpent.cli.policy.inspect:command",
        "Show what a checkpoint takes and gives, and whom it fits.",
    ),
}


@click.command("policy", cls=LazyGroup, table=COMMANDS, shows_added=True)
def group() -> None:
    """Learned policies: what is installed, and what a checkpoint takes and gives.

    `rpent serve policy` serves one, `rpent run --policy` starts one for a run.
    """
