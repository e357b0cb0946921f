"""`rpent env sync`: build a managed environment, and start its service once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent.cli.params import no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent.environments.catalog import DeclaredEnvironment
    from rpent.environments.interpreter import Interpreter


@click.command("sync")
@click.argument("name")
@click.option("--rebuild", is_flag=True, help="Build it from nothing although it is up to date.")
@click.option("--start/--no-start", default=True, help="Start the service once at the end.  [default: on]")
@click.option("--quiet", "-q", is_flag=True, help="Print the result only.")
@no_plugin_option
@verbose_option
def command(name: str, rebuild: bool, start: bool, quiet: bool) -> None:
    """Build the environment NAME with uv, or bring it up to date.

    What is installed is what the distribution's lock says. A build that was interrupted goes on where it stopped. At
    the end the service is started once, so that what is missing on this machine shows now.
    """
    from rpent.environments.catalog import declared_environment

    def say(line: str) -> None:
        if not quiet and line:
            click.echo(line, err=True)

    declared = declared_environment(name)
    managed = declared.managed

    def start_service(interpreter: Interpreter) -> None:
        say(f"Starting `{declared.owner}/{declared.service.name}` once")
        _start(declared, interpreter)

    built = managed.sync(say=say, start_service=start_service if start else None, rebuild=rebuild)
    seconds = managed.record().get("elapsed_s", 0)
    click.echo(f"`{name}` is ready after {seconds:.0f} s." if built else f"`{name}` is up to date.")


def _start(declared: DeclaredEnvironment, interpreter: Interpreter) -> None:
    """Start the service with its defaults and say what stands in the way.

    Raises:
        EnvironmentSetupError: It does not start.
    """
    from rpent.errors import EnvironmentSetupError, RpentError
    from rpent.services.trial import start_once

    try:
        start_once(declared.service, interpreter, distribution=declared.distribution)
    except RpentError as error:
        raise EnvironmentSetupError(
            f"The environment `{declared.spec.name}` was built, but its service does not start: {error.message}",
            hint=error.hint,
        ) from error
