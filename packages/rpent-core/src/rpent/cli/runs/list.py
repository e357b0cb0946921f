"""`rpent runs list`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rpent.cli.params import json_option, output_dir_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.runs.index import RunSummary


_NO_VERDICT = "Without a verdict of the benchmark."


def verdict(run: RunSummary) -> str:
    """Return how a run stands, in one word or two."""
    if run.state != "ended":
        return run.state
    if run.benchmark_success:
        return "success"
    return str(run.reason) if run.reason != "finished" else "not solved"


def described(run: RunSummary) -> str:
    """Return what a run was about."""
    attempts = f" ({run.attempts} attempt{'s' if run.attempts > 1 else ''})" if run.attempts else ""
    return run.problem or f"{run.instruction}{attempts}"


def table(runs: Sequence[RunSummary]) -> None:
    """Print the runs."""
    width = max((len(run.name) for run in runs), default=0)
    from rpent.printable import printable

    for run in runs:
        success = run.benchmark_success
        shown = click.style(
            f"{verdict(run):<14}", fg="green" if success else "red" if success is False else None
        )
        click.echo(f"{run.name:<{width}}  {shown}  {printable(described(run))}".rstrip())


def _publishable(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """Leave out what is no evidence for the benchmark, and say so."""
    from rpent.printable import printable

    against = [run.caveats or (() if run.benchmark_success is not None else (_NO_VERDICT,)) for run in runs]
    if left := sum(map(bool, against)):
        reasons = dict.fromkeys(reason for each in against for reason in each)
        said = "1 run is left out" if left == 1 else f"{left} runs are left out"
        click.echo(f"{said}: {printable(' '.join(reasons))}", err=True)
    return [run for run, reasons in zip(runs, against, strict=True) if not reasons]


@click.command("list")
@output_dir_option
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest runs.")
@click.option(
    "--publishable", is_flag=True, help="Only runs with a verdict of the benchmark's own: none with a caveat."
)
@json_option
def command(output_dir: str, limit: int | None, publishable: bool, as_json: bool) -> None:
    """List recorded runs, the newest first."""
    from rpent.runs.index import list_runs

    runs = list_runs(Path(output_dir))
    if publishable:
        runs = _publishable(runs)
    runs = runs[:limit]
    if as_json:
        import json

        click.echo(json.dumps({"version": 1, "runs": [run.to_json() for run in runs]}, indent=2))
        return
    table(runs)
    if not runs:
        click.echo(f"No runs in `{output_dir}`.")
