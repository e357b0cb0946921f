"""`rpent smith runs compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of

if TYPE_CHECKING:
    from rpent_robosmith.delivery.comparison import Comparison


@click.command("compare")
@click.argument("first")
@click.argument("second")
@runs_dir_option
@json_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, first: str, second: str, as_json: bool, **_: Any) -> None:
    """Compare the delivered policies of two runs.

    A difference is named only where the two intervals do not overlap, and better or worse only where a metric has a
    better side.
    """
    from pathlib import Path

    from rpent_robosmith.delivery.comparison import compare
    from rpent_robosmith.workflow import checkpoint
    from rpent_robosmith.workflow.runs import find_run

    runs_dir = Path(settings_of(ctx, only=("runs_dir",)).config.runs_dir)
    states = [checkpoint.load(find_run(name, runs_dir)).state for name in (first, second)]
    comparison = compare(states[0], states[1])
    if as_json:
        import json

        click.echo(json.dumps({"version": 1, **comparison.plain()}, indent=2, ensure_ascii=False))
        return
    _show(comparison)


def _show(comparison: Comparison) -> None:
    from rpent.printable import printable

    for caveat in comparison.caveats:
        click.echo(printable(caveat))
    rows = [("", comparison.first, comparison.second, "")]
    rows += [
        (fact.name, fact.first, fact.second, "" if fact.first == fact.second else "differs")
        for fact in comparison.facts
    ]
    rows += [(row.metric, _shown(row.first), _shown(row.second), row.finding) for row in comparison.metrics]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True))
        click.echo(printable(f"{cells}  {row[3]}".rstrip()))


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    interval = "" if value.low is None else f" [{value.low:.3g}, {value.high:.3g}]"
    return f"{value.value:.3g}{interval}"
