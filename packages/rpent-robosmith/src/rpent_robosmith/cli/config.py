"""`rpent smith config`."""

from __future__ import annotations

from typing import Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import setting_options, settings_of


@click.command("config")
@setting_options
@json_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **_settings: Any) -> None:
    """Show the effective configuration, and where each value comes from.

    It takes the options of `rpent smith run`. An option wins over an environment variable (`RPENT_SMITH_SEED`), that
    over the configuration file (`robosmith.yaml`), that over the default.
    """
    import json

    settings = settings_of(ctx)
    values = settings.config.plain()
    if as_json:
        rows = {name: {"value": values[name], "source": settings.sources[name]} for name in values}
        click.echo(json.dumps({"version": 1, "settings": rows}, indent=2, ensure_ascii=False))
        return
    from rpent.printable import printable

    width = max(map(len, values))
    for name, value in values.items():
        shown = printable(json.dumps(value, ensure_ascii=False)) if value not in (None, [], {}) else "–"
        source = settings.sources[name]
        click.echo(f"{name:<{width}}  {shown:<28}  {click.style(source, dim=source == 'default')}")
