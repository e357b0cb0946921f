"""`rpent smith diag compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent_robosmith.cli.diag.options import diag_options

if TYPE_CHECKING:
    from pathlib import Path


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@diag_options
def command(
    a: str,
    b: str,
    *,
    env: str | None,
    episodes: int | None,
    pictures: int,
    html: Path | None,
    python: str | None,
    as_json: bool,
) -> None:
    """Say where two datasets differ, and how sure that is. A is the one that B is measured by.

    Values of episodes and distributions of every number of the action and state are compared by permutations of whole
    episodes, corrected for how many tests there are; differences come with intervals. A degradation is named only
    where there is one beyond chance. Success is compared only where both datasets record it.
    """
    from rpent_robosmith.cli.diag.options import analysed, bounds_of, plain_json, write_html
    from rpent_robosmith.diagnose.compare import compare
    from rpent_robosmith.diagnose.compare_text import lines

    bounds = bounds_of(env, python)
    first, second = (analysed(path, bounds, episodes, pictures, quiet=as_json) for path in (a, b))
    comparison = compare(first, second)
    if html is not None:
        from rpent_robosmith.diagnose.compare_html import comparison_page

        write_html(html, comparison_page(comparison, first, second))
    if as_json:
        click.echo(plain_json(comparison))
        return
    for line in lines(comparison):
        click.echo(line)
