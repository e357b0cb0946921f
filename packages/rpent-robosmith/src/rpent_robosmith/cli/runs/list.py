"""`rpent smith runs list`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.workflow.runs import RunSummary

STATUSES = ("running", "interrupted", "succeeded", "failed", "damaged")
_COLOURS = {
    "succeeded": "green",
    "failed": "red",
    "interrupted": "yellow",
    "damaged": "red",
    "running": "cyan",
}


@click.command("list")
@runs_dir_option
@click.option("--status", type=click.Choice(STATUSES), help="Only runs that stand so.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest runs.")
@json_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, status: str | None, limit: int | None, as_json: bool, **_: Any) -> None:
    """List the runs, the newest first."""
    from pathlib import Path

    from rpent_robosmith.workflow.runs import list_runs

    runs_dir = settings_of(ctx, only=("runs_dir",)).config.runs_dir
    runs = [run for run in list_runs(Path(runs_dir)) if status in (None, run.status)][:limit]
    if as_json:
        import json

        document = {"version": 1, "runs": [run.to_json() for run in runs]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    _table(runs)
    if not runs:
        click.echo(f"No runs{f' that are {status}' if status else ''} in `{runs_dir}`.")


def _table(runs: Sequence[RunSummary]) -> None:
    from rpent.printable import printable

    width = max((len(run.run_id) for run in runs), default=0)
    for run in runs:
        shown = click.style(f"{run.status:<11}", fg=_COLOURS.get(run.status))
        record = run.record
        if record is None:
            click.echo(f"{run.run_id:<{width}}  {shown}  {printable(run.problem)}")
            continue
        at = record.created.astimezone().strftime("%Y-%m-%d %H:%M %z")
        where = f"{record.node} {record.iteration}" if record.node else record.environment or ""
        click.echo(
            f"{run.run_id:<{width}}  {shown}  {at}  {where:<14}  {printable(record.sentence)}".rstrip()
        )
