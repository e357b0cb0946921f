"""`rpent env path`."""

from __future__ import annotations

import click

from rpent.cli.params import verbose_option


@click.command("path")
@click.argument("name")
@click.option("--python", is_flag=True, help="Print the interpreter instead of the folder.")
@verbose_option
def command(name: str, python: bool) -> None:
    """Print the folder of the environment NAME, for use in scripts."""
    from rpent.environments.managed import interpreter_in, read_record
    from rpent.environments.paths import environment_dir
    from rpent.errors import EnvironmentSetupError

    directory = environment_dir(name)
    if not read_record(directory):
        raise EnvironmentSetupError(f"The environment `{name}` is not built.", hint=f"rpent env sync {name}")
    click.echo(interpreter_in(directory) if python else directory)
