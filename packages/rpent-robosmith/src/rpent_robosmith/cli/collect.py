"""`rpent smith collect`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent_robosmith.datasets.collecting import Collected


@click.command("collect")
@click.argument("policy", metavar="POLICY")
@click.option(
    "--env", metavar="ENV", help="An entry of a catalog, or a Gymnasium id.  [default: the policy's own]"
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="The dataset: a folder (LeRobot), or a file (robomimic). It must not exist.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(["lerobot", "robomimic"]),
    help="LeRobot v3.0, or HDF5 as robomimic reads it.  [default: robomimic for .hdf5, else lerobot]",
)
@click.option("--episodes", type=click.IntRange(1, 100_000), default=50, show_default=True, metavar="N")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Of the first episode; each has its own.")
@click.option("--only-successes", is_flag=True, help="Leave failed episodes out.")
@click.option("--rows", type=click.IntRange(16, 1080), metavar="N", help="Record pictures with so many rows.")
@click.option(
    "--fps", type=click.FloatRange(0, min_open=True), metavar="HZ", help="Steps a second, where unknown."
)
@click.option("--task", metavar="TEXT", help="The instruction that the episodes carry.")
@click.option("--python", metavar="PATH", help="Interpreter of the worker.")
@json_option
@no_plugin_option
@verbose_option
def command(
    policy: str, *, env: str | None, out: Path, python: str | None, as_json: bool, **wanted: Any
) -> None:
    """Record a dataset: run a policy in its environment, and write what it saw and did.

    POLICY is a folder that `rpent smith run` delivered (or its run directory), `random` or `zero`. Every episode has a
    seed of its own, none of those that train, choose or judge policies.
    """
    import json

    from rpent_robosmith.cli.listening import terminal
    from rpent_robosmith.datasets.collecting import FIRST_SEED, Recording, collect
    from rpent_robosmith.inspect.environments import inspect_entry
    from rpent_robosmith.work.bench import ProcessBench

    _check(wanted["rows"])
    folder, entry = _resolved(policy, env)
    bench, listener = ProcessBench(python=python), terminal(quiet=as_json)
    recording = Recording(
        entry=entry,
        facts=inspect_entry(entry, bench),
        policy=folder,
        episodes=wanted["episodes"],
        first_seed=FIRST_SEED if wanted["seed"] is None else wanted["seed"],
        format=wanted["layout"] or ("robomimic" if out.suffix in (".hdf5", ".h5") else "lerobot"),
        rows=wanted["rows"],
        fps=wanted["fps"],
        task=wanted["task"],
        only_successes=wanted["only_successes"],
    )
    try:
        made = collect(
            recording, out, bench, lambda done, total: listener.progress(f"record {entry.id}", done, total)
        )
    finally:
        listener.close()
    if as_json:
        click.echo(json.dumps(_document(made, recording.format), indent=2, ensure_ascii=False))
        return
    click.echo(
        f"Written: {made.path} ({made.episodes} episodes, {made.frames} steps, {made.successes} successes)"
    )
    for count, what in (
        (made.left_out, "failed and were left out"),
        (made.crashed, "crashed and were left out"),
    ):
        if count:
            click.echo(f"{count} episodes {what}.")


def _document(made: Collected, layout: str) -> dict[str, Any]:
    return {
        "version": 1,
        "path": str(made.path),
        "format": layout,
        "episodes": made.episodes,
        "frames": made.frames,
        "successes": made.successes,
        "left_out": made.left_out,
        "crashed": made.crashed,
    }


def _check(rows: int | None) -> None:
    from rpent.errors import UsageError

    if rows is not None and rows % 2:
        raise UsageError(f"`--rows {rows}` is odd; videos have an even number of rows.")


def _resolved(policy: str, env: str | None) -> tuple[str, Any]:
    """Return what the worker runs, and the environment's entry."""
    from rpent.errors import PolicyError, UsageError

    from rpent_robosmith.catalog.load import find
    from rpent_robosmith.policy.config import policy_folder
    from rpent_robosmith.policy.files import read_description

    if policy in ("random", "zero"):
        if env is None:
            raise UsageError(f"`{policy}` acts in any environment: name one with `--env`.")
        return policy, find(env)
    folder = policy_folder(policy)
    try:
        description = read_description(folder)
    except PolicyError as error:
        raise UsageError(error.message, hint=error.hint) from error
    if env is not None:
        return str(folder), find(env)
    if description.entry is None:
        raise UsageError(f"`{policy}` does not say its environment: name it with `--env`.")
    return str(folder), description.entry
