"""`rpent env list`."""

from __future__ import annotations

from typing import Any

import click

from rpent.cli.params import json_option, no_plugin_option, verbose_option


@click.command("list")
@json_option
@no_plugin_option
@verbose_option
def command(as_json: bool) -> None:
    """List the environments that plugins declare, and those on disk, with their state."""
    import json

    from rpent.environments.inventory import inventory

    rows = [row.as_dict() for row in inventory()]
    if as_json:
        click.echo(json.dumps({"version": 1, "environments": rows}, indent=2))
    elif not rows:
        click.echo("No installed plugin has a managed environment.")
    else:
        _table(rows)


def _table(rows: list[dict[str, Any]]) -> None:
    cells = [["NAME", "STATE", "PYTHON", "SIZE", "FROM", "HOLDS"]]
    for row in rows:
        size = f"{row['bytes'] / 1e9:.1f} GB" if row["bytes"] else "-"
        place = [row["python"] or "-", size, row["distribution"] or "-", row["torch"]]
        cells.append([row["name"], row["state"], *place])
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
