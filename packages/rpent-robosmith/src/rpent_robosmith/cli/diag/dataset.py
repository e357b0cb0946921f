"""`rpent smith diag dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent_robosmith.cli.diag.options import diag_options

if TYPE_CHECKING:
    from pathlib import Path


@click.command("dataset")
@click.argument("path", metavar="PATH")
@click.option("--all", "all_episodes", is_flag=True, help="List every episode.")
@diag_options
def command(
    path: str,
    *,
    all_episodes: bool,
    env: str | None,
    episodes: int | None,
    pictures: int,
    html: Path | None,
    python: str | None,
    as_json: bool,
) -> None:
    """Analyse the episodes of a dataset.

    Lengths, success by the right field, actions at their bounds, jerk, idle stretches, duplicates, numbers that are
    not finite, cameras that freeze, timestamps, and what failures have in common.

    Success is stated only where a field says it (`next.success`, `task_successes`, sparse rewards), saturation only
    where the action's bounds are known.
    """
    from rpent_robosmith.cli.diag.options import analysed, bounds_of, plain_json, write_html
    from rpent_robosmith.diagnose.text import lines

    analysis = analysed(path, bounds_of(env, python), episodes, pictures, quiet=as_json)
    if html is not None:
        from rpent_robosmith.diagnose.html import dataset_page

        write_html(html, dataset_page(analysis))
    if as_json:
        click.echo(plain_json(analysis.report))
        return
    for line in lines(analysis.report, all_episodes=all_episodes):
        click.echo(line)
