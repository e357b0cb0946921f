"""`rpent smith inspect policy|dataset|env|robot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import PluginChoice, json_option, no_plugin_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.inspect.api import ArtefactFacts

_samples = click.option(
    "--samples", type=click.IntRange(0, 1000), default=0, metavar="N", help="Show so many steps besides."
)
_python = click.option(
    "--python",
    metavar="PATH",
    help="Interpreter of the worker.  [default: the managed environment, or this one]",
)


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    return json_option(no_plugin_option(verbose_option(function)))


@click.command("policy")
@click.argument("artefact", metavar="POLICY")
@_shared
def policy(artefact: str, as_json: bool) -> None:
    """Say what a policy takes and gives: RoboSmith's own, Stable-Baselines3, LeRobot or ONNX, a file or folder."""
    _show(artefact, "policy", as_json=as_json)


@click.command("dataset")
@click.argument("artefact", metavar="DATASET")
@_samples
@_shared
def dataset(artefact: str, samples: int, as_json: bool) -> None:
    """Say what a dataset holds: LeRobot v2.0 to v3.0, HDF5 as of robomimic and LIBERO, or runs of RPent."""
    _show(artefact, "dataset", as_json=as_json, samples=samples)


@click.command("env")
@click.argument("artefact", metavar="ENV")
@_samples
@_python
@_shared
def env(artefact: str, samples: int, python: str | None, as_json: bool) -> None:
    """Make an environment in a worker, step it, and say what it gives and takes.

    ENV is an entry of a catalog, or any Gymnasium id.
    """
    _show(artefact, "environment", as_json=as_json, samples=samples, python=python)


@click.command("robot")
@click.argument("artefact", metavar="ROBOT", type=PluginChoice("robots"))
@_shared
def robot(artefact: str, as_json: bool) -> None:
    """Say what an installed robot offers a policy, from its declaration: no simulator is started."""
    _show(f"robot:{artefact}", "environment", as_json=as_json)


def _show(artefact: str, kind: str, *, as_json: bool, samples: int = 0, python: str | None = None) -> None:
    from rpent.printable import printable

    from rpent_robosmith.cli.inspect.bench import bench_for
    from rpent_robosmith.cli.inspect.lines import facts_json, facts_lines
    from rpent_robosmith.inspect.find import find

    with bench_for(python) as bench:
        found: ArtefactFacts = find(artefact, (kind,)).inspect(samples=samples, bench=bench)
    if as_json:
        click.echo(facts_json(found))
        return
    for line in facts_lines(found):
        click.echo(printable(line))
