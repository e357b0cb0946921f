"""`rpent smith inspect`."""

import click
from rpent.cli.lazy import LazyGroup

_HOME = "rpent_robosmith.cli.inspect"
COMMANDS = {
    "policy": (f"{_HOME}.artefact:policy", "Say what a policy takes and gives."),
    "dataset": (f"{_HOME}.artefact:dataset", "Say what a dataset holds."),
    "env": (f"{_HOME}.artefact:env", "Make an environment, step it, and say what it gives and takes."),
    "robot": (f"{_HOME}.artefact:robot", "Say what a robot of RPent offers a policy, without a simulator."),
    "compat": (f"{_HOME}.compat:command", "Compare two or three of them."),
}


@click.command("inspect", cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Say what a policy, a dataset or an environment takes, gives and holds, and whether two fit together.

    Nothing is downloaded, and no pickle is opened.
    """
