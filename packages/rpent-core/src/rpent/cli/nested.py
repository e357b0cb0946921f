"""Commands that plugins add: `rpent NAME`, and `rpent GROUP NAME` for an entry point named `GROUP.NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.plugins import registry

if TYPE_CHECKING:
    import click

_KIND = "commands"


def commands_in(group: str) -> list[str]:
    """Return what plugins add to a group, from metadata alone."""
    prefix = f"{group}."
    return [name.removeprefix(prefix) for name in registry.names(_KIND) if name.startswith(prefix)]


def load_command(name: str) -> click.Command:
    """Load the command of exactly this entry point.

    Raises:
        PluginError: It cannot be used; a broken plugin says why.
    """
    import click

    from rpent.errors import PluginError
    from rpent.plugins.named import load_named

    spec = registry.get(_KIND, name)
    command = load_named(spec.command, f"command `{name}`")
    if not isinstance(command, click.Command):
        raise PluginError(f"The command `{name}` names `{spec.command}`, which is no click command.")
    return command


def summary_of(name: str) -> str:
    """Return one line on a command; one that cannot be used says why."""
    from rpent.plugins.failure import LoadFailure

    current = registry.current()
    entry = current.index.owner(_KIND, name)
    if entry is None:
        return "Several distributions bring it."
    spec = current.try_entry(entry)
    return f"Unusable: {spec.reason}" if isinstance(spec, LoadFailure) else str(spec.summary)


def added_group(name: str) -> click.Command | None:
    """Return a group of which plugins bring every command; None where nobody does."""
    if not commands_in(name):
        return None
    from rpent.cli.lazy import LazyGroup

    return LazyGroup(name, table={}, shows_added=True, help=f"Commands of plugins: {name}.")
