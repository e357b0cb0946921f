"""`rpent env remove`."""

from __future__ import annotations

import click

from rpent.cli.params import verbose_option


@click.command("remove")
@click.argument("name")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@verbose_option
def command(name: str, yes: bool) -> None:
    """Remove the environment NAME from the disk, also one whose plugin is gone. `sync` builds it again."""
    from rpent.environments.managed import remove_environment
    from rpent.environments.paths import environment_dir

    if not yes and environment_dir(name).is_dir():
        click.confirm(f"Remove {environment_dir(name)}?", abort=True)
    size = remove_environment(name)
    click.echo(f"Removed `{name}` ({size / 1e9:.1f} GB).")
