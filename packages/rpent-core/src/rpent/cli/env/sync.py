"""`rpent env sync`: build a managed environment, and start its service once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent.cli.params import no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent.environments.catalog import DeclaredEnvironment
    from rpent.environments.interpreter import Interpreter
    from rpent.specs import ServiceSpec


@click.command("sync")
@click.argument("name")
@click.option("--rebuild", is_flag=True, help="Build it from nothing although it is up to date.")
@click.option("--start/--no-start", default=True, help="Start the service once at the end.  [default: on]")
@click.option(
    "--python",
    metavar="VERSION|PATH",
    help="Another Python version than the environment's own, or an interpreter.",
)
@click.option(
    "--torch-backend",
    metavar="BUILD",
    help="Build of PyTorch: `auto` (what fits this machine), `cpu`, `cu130`, …  "
    "[default: a wheel from --find-links, else `auto`]",
)
@click.option("--index-url", metavar="URL", help="Package index to take everything from.  [default: as uv]")
@click.option(
    "--find-links", metavar="DIR", multiple=True, help="Folder or page with further wheels; may be repeated."
)
@click.option("--quiet", "-q", is_flag=True, help="Print the result only.")
@no_plugin_option
@verbose_option
def command(
    *,
    name: str,
    rebuild: bool,
    start: bool,
    python: str | None,
    torch_backend: str | None,
    index_url: str | None,
    find_links: tuple[str, ...],
    quiet: bool,
) -> None:
    """Build the environment NAME with uv, or bring it up to date.

    What is installed is what the distribution's lock says; PyTorch comes as the build that fits this machine. A build
    that was interrupted goes on where it stopped. At the end the service is started once, so that what is missing on
    this machine shows now (a policy is not: it needs a checkpoint). What was chosen here is kept for the next time;
    uv's environment variables (UV_TORCH_BACKEND, UV_FIND_LINKS, UV_DEFAULT_INDEX, …) count too.
    """
    from rpent.environments.catalog import declared_environment
    from rpent.environments.choices import BuildChoices

    def say(line: str) -> None:
        if not quiet and line:
            click.echo(line, err=True)

    declared = declared_environment(name)
    managed = declared.managed

    service = declared.service if start and declared.startable else None

    def start_service(interpreter: Interpreter) -> None:
        assert service is not None
        say(f"Starting `{declared.owner}/{service.name}` once")
        _start(declared, service, interpreter)

    choices = BuildChoices(
        python=_place(python) if python and "/" in python else python,
        torch_backend=torch_backend,
        index_url=index_url,
        find_links=tuple(_place(text) for text in find_links),
    )
    built = managed.sync(
        say=say, start_service=start_service if service else None, rebuild=rebuild, choices=choices
    )
    seconds = managed.record().get("elapsed_s", 0)
    click.echo(f"`{name}` is ready after {seconds:.0f} s." if built else f"`{name}` is up to date.")


def _place(text: str) -> str:
    """Return a folder's absolute path, because it is kept for builds from elsewhere; an address as it is."""
    from pathlib import Path

    return text if "://" in text else str(Path(text).expanduser().absolute())


def _start(declared: DeclaredEnvironment, service: ServiceSpec, interpreter: Interpreter) -> None:
    """Start the service with its defaults and say what stands in the way.

    Raises:
        EnvironmentSetupError: It does not start.
    """
    from rpent.errors import EnvironmentSetupError, RpentError
    from rpent.services.trial import start_once

    try:
        start_once(service, interpreter, distribution=declared.distribution)
    except RpentError as error:
        raise EnvironmentSetupError(
            f"The environment `{declared.spec.name}` was built, but its service does not start: {error.message}",
            hint=error.hint,
        ) from error
