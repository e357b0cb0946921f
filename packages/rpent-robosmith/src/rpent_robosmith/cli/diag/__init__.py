"""`rpent smith diag`."""

import click
from rpent.cli.lazy import LazyGroup

_HOME = "rpent_robosmith.cli.diag"
COMMANDS = {
    "dataset": (f"{_HOME}.dataset:command", "Analyse the episodes of a dataset."),
    "compare": (f"{_HOME}.compare:command", "Say where two datasets differ, and how sure that is."),
}


@click.command("diag", cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Analyse recorded episodes, or compare two sets of them.

    Datasets are LeRobot folders (v2.0, v2.1, v3.0), HDF5 as of robomimic and LIBERO, and run directories of RPent.
    """
