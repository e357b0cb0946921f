"""`rpent memory merge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rpent.cli.memory.options import memory_dir_option, one_robot, open_store, print_problems, robot_option
from rpent.cli.params import output_dir_option, verbose_option

if TYPE_CHECKING:
    from rpent.memory.merge import MergeReport
    from rpent.runs.directory import RunDirectory


@click.command("merge")
@click.argument("source", metavar="RUN|DRAFTS")
@robot_option
@memory_dir_option
@output_dir_option
@verbose_option
def command(source: str, robot: str | None, memory_dir: str | None, output_dir: str) -> int:
    """Take in what a run learned: its drafts, and its recipe if the benchmark confirmed that it solved the task.

    RUN is a run directory, a name in the output directory, or `latest`; DRAFTS is a folder laid out as the memory.
    Merging again changes nothing.

    Exit codes: 0 all of it was taken, 1 some drafts were refused.
    """
    from rpent.runs.directory import RunDirectory
    from rpent.runs.index import find_run

    folder = find_run(source, Path(output_dir))
    if (folder / "run.json").is_file():
        return _merge_run(RunDirectory(folder), robot, memory_dir)
    return _merge_drafts(folder, robot, memory_dir)


def _merge_run(run: RunDirectory, robot: str | None, memory_dir: str | None) -> int:
    from rpent.errors import UsageError
    from rpent.memory.recorded import learn, offer_of

    offer = offer_of(run)
    if robot not in (None, offer.robot):
        raise UsageError(f"The run `{run.path.name}` is of the robot `{offer.robot}`, not `{robot}`.")
    learned = learn(open_store(memory_dir, offer.robot), offer)
    _print(learned.report)
    click.echo(
        learned.publication.detail
        if learned.publication
        else "No solution of the run was confirmed: no recipe is published."
    )
    return 1 if learned.report.problems else 0


def _merge_drafts(folder: Path, robot: str | None, memory_dir: str | None) -> int:
    from rpent.memory.merge import Evidence, merge
    from rpent.memory.paths import memory_root
    from rpent.runs.directory import safe_name

    store = open_store(memory_dir, robot or one_robot(memory_root(memory_dir), None))
    report = merge(store, folder, Evidence(run=safe_name(folder.resolve().name)))
    _print(report)
    if not (report.merged or report.unchanged or report.problems):
        click.echo(f"`{folder}` holds no drafts.")
    return 1 if report.problems else 0


def _print(report: MergeReport) -> None:
    for path in report.merged:
        click.echo(f"Merged: {path}")
    for path in report.unchanged:
        click.echo(f"Merged before: {path}")
    print_problems(report.problems, "Refused: ")
