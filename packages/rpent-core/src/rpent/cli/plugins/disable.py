"""`rpent plugins disable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rpent.plugins.index import Entry


def matching(name: str) -> list[Entry]:
    """Return the entries of a name, a distribution or a `distribution:name`, of every kind."""
    from rpent.plugins import registry
    from rpent.plugins.blocking import names_of

    return [entry for entry in registry.current().index.entries() if name in names_of(entry)]


def unknown(name: str) -> Exception:
    """Return the error for a name that nothing installed has."""
    from rpent.errors import UsageError
    from rpent.plugins import registry
    from rpent.suggest import did_you_mean

    entries = [entry for entry in registry.current().index.entries() if not entry.built_in]
    names = {entry.name for entry in entries} | {entry.distribution for entry in entries}
    return UsageError(
        f"No plugin is named `{name}`{did_you_mean(name, names)}",
        hint="`rpent plugins list` shows what is installed.",
    )


def described(entries: list[Entry]) -> str:
    """Return what a message calls the plugins: `robot libero, perceptor libero-sim`."""
    from rpent.plugins.index import label

    return ", ".join(f"{label(entry.kind)} `{entry.name}`" for entry in entries)


@click.command("disable")
@click.argument("name")
def command(name: str) -> None:
    """Leave a plugin out from now on, before anything of it is imported.

    NAME is what the user types (`libero`), a distribution (all of its plugins), or `distribution:name`. It holds
    for this user; for one command there is `--no-plugin NAME`.
    """
    from rpent.errors import UsageError
    from rpent.plugins import blocking

    found = matching(name)
    if not found:
        raise unknown(name)
    entries = [entry for entry in found if not entry.built_in]
    if not entries:
        raise UsageError(f"`{name}` is a part of core and cannot be disabled.")
    path = blocking.write_file(blocking.read_file() | {name})
    click.echo(f"Disabled: {described(entries)} (in {path}).")
    click.echo(f"To use it again: rpent plugins enable {name}")
