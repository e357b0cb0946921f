"""`rpent dashboard`: browse all runs, and start sessions, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rpent.cli.options import given, options_from_model
from rpent.cli.params import no_plugin_option, output_dir_option, verbose_option
from rpent.config import env_prefix

from rpent_dashboard.config import DashboardConfig

if TYPE_CHECKING:
    from rpent_dashboard.web.serving import Dashboard

_OPTIONS = options_from_model(DashboardConfig, env_prefix=env_prefix("dashboard"))


def _add_options(command: click.Command) -> click.Command:
    command.params[1:1] = _OPTIONS
    return command


@_add_options
@click.command("dashboard")
@output_dir_option
@no_plugin_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, output_dir: str, **_: object) -> int:
    """Watch, steer and compare runs in the browser, until Ctrl-C."""
    from rpent.run.signals import Interrupts  # noqa: PLC0415  (help needs no server)

    from rpent_dashboard.ending import LOOK_S, end_session  # noqa: PLC0415
    from rpent_dashboard.hosting.host import Host  # noqa: PLC0415
    from rpent_dashboard.web.serving import Dashboard  # noqa: PLC0415

    config = DashboardConfig(**given(ctx, _OPTIONS))
    host = Host(Path(output_dir))
    with Interrupts() as interrupts:
        try:
            with Dashboard(config, output_dir=host.output_dir, host=host) as dashboard:
                interrupts.raising = False
                announce(dashboard)
                while not interrupts.pressed:
                    dashboard.wait(LOOK_S)
                end_session(host, interrupts)
        finally:
            host.close(impatient=True)
    return 0


def announce(dashboard: Dashboard, page: str = "") -> None:
    """Say where the dashboard is, opened on a page such as `#/session`, and who can reach it."""
    click.echo(f"Dashboard: {dashboard.token_url}{page}")
    for caution in dashboard.cautions:
        click.echo(caution, err=True)
