"""`rpent new robot`."""

from __future__ import annotations

import click


@click.command("robot")
@click.argument("name")
@click.option("--directory", type=click.Path(), help="Where to write it.  [default: ./rpent-robot-NAME]")
def command(name: str, directory: str | None) -> None:
    """Start a distribution `rpent-robot-NAME`: env server, options, tools, and tests that pass.

    NAME is what the user will type: lower-case letters, digits and dashes.
    """
    from pathlib import Path

    from rpent.errors import UsageError
    from rpent.plugins import registry
    from rpent.scaffold.render import render
    from rpent.suggest import typeable

    if name in registry.names("robots"):
        hint = f"`rpent plugins show {name}` tells by whom."
        raise UsageError(f"A robot `{name}` is installed already.", hint=hint)
    target = Path(directory or f"rpent-robot-{name}")
    for path in render("robot", name, target):
        click.echo(f"  {path}")
    click.echo("\nNext:")
    install = typeable(f"pip install -e {target} pytest")
    for step in (install, f"pytest {target}", f"rpent run --robot {name} --help"):
        click.echo(f"  {step}")
