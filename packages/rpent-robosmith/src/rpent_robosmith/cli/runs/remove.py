"""`rpent smith runs remove`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of

if TYPE_CHECKING:
    from pathlib import Path


@click.command("remove")
@click.argument("runs", nargs=-1)
@runs_dir_option
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="All that nothing was written to since.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be deleted, and delete nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    runs: tuple[str, ...],
    older_than: float | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **_: Any,
) -> None:
    """Delete runs with everything in them.

    RUNS are ids, or beginnings of them. A run that a process works on is never deleted.
    """
    from pathlib import Path

    from rpent.errors import UsageError

    if bool(runs) == (older_than is not None):
        raise UsageError(
            "Name the runs to delete, or say `--older-than DAYS`.", hint="`rpent smith runs list`"
        )
    if as_json and not (yes or dry_run):
        raise UsageError("`--json` cannot ask.", hint="Give `--yes`, or `--dry-run`.")
    runs_dir = Path(settings_of(ctx, only=("runs_dir",)).config.runs_dir)
    folders = _named(runs, runs_dir) if runs else _older(older_than or 0.0, runs_dir)
    if folders and not (yes or dry_run):
        click.confirm(f"Delete {', '.join(folder.name for folder in folders)}?", abort=True, err=True)
    removed = [] if dry_run else _remove(folders)
    if as_json:
        import json

        found = [folder.name for folder in folders]
        click.echo(
            json.dumps({"version": 1, "found": found, "removed": removed, "dry_run": dry_run}, indent=2)
        )
        return
    for folder in folders:
        click.echo(f"{'would be deleted' if dry_run else 'deleted'}: {folder.name}")
    if not folders:
        click.echo("There is nothing to delete.")


def _named(names: tuple[str, ...], runs_dir: Path) -> list[Path]:
    from rpent_robosmith.workflow.runs import find_run

    return list(dict.fromkeys(find_run(name, runs_dir) for name in names))


def _older(days: float, runs_dir: Path) -> list[Path]:
    from datetime import timedelta

    from rpent_robosmith.workflow.run_state import now
    from rpent_robosmith.workflow.runs import list_runs

    limit = now() - timedelta(days=days)
    return [
        run.path
        for run in list_runs(runs_dir)
        if run.record is not None and run.status != "running" and run.record.updated < limit
    ]


def _remove(folders: list[Path]) -> list[str]:
    from rpent_robosmith.workflow.runs import remove_run

    for folder in folders:
        remove_run(folder)
    return [folder.name for folder in folders]
