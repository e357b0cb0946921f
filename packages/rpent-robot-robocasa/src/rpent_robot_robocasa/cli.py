"""`rpent robocasa`: the tasks and the kitchen assets of RoboCasa365."""

from __future__ import annotations

import click
from rpent.cli.lazy import LazyGroup

ASSETS = {
    "status": ("rpent_robot_robocasa.assets.cli.status:command", "Show which assets there are."),
    "fetch": ("rpent_robot_robocasa.assets.cli.fetch:command", "Download the real assets (10 GB)."),
    "placeholder": (
        "rpent_robot_robocasa.assets.cli.placeholder:command",
        "Make placeholder assets from simple shapes.",
    ),
}

COMMANDS = {
    "tasks": ("rpent_robot_robocasa.listing:command", "List the tasks that can be run."),
    "assets": (
        "rpent_robot_robocasa.cli:assets",
        "Kitchen assets: what is there, fetch them, or make placeholders.",
    ),
}


@click.group("robocasa", cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Things of the robot `robocasa`."""


@click.group("assets", cls=LazyGroup, table=ASSETS)
def assets() -> None:
    """Kitchen assets: textures, fixtures and objects, which the simulator's package does not hold.

    The real ones come from the authors' file host. Placeholders are made here from simple shapes: every task runs with
    them, and a result does not count as the benchmark's.
    """
