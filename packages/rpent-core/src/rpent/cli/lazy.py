"""Command groups whose help is static and whose commands are imported when they are invoked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group made from a table `{name: ("package.module:attribute", one-line help)}`.

    click's own help imports every command for its short help; this one prints the table. Plugins add commands to it:
    an entry point of `rpent.commands` named `policy.train` is the command `train` of the group `policy`. The help names
    them where `shows_added` says so; elsewhere it reads no metadata.
    """

    def __init__(
        self, *args: Any, table: Mapping[str, tuple[str, str]], shows_added: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.table = dict(table)
        self.shows_added = shows_added

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the table's order, then those of plugins."""
        return [*self.table, *super().list_commands(ctx), *self.added()]

    def nameable(self, ctx: click.Context) -> list[str]:
        """Return every command that can be typed, for who typed another one."""
        return self.list_commands(ctx)

    def added(self) -> list[str]:
        """Return the names of the commands that plugins add, from metadata alone."""
        from rpent.cli.nested import commands_in

        return [name for name in commands_in(str(self.name)) if name not in self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command of the table, else one that a plugin adds."""
        if cmd_name not in self.table:
            own = super().get_command(ctx, cmd_name)
            if own is not None or cmd_name not in self.added():
                return own
            from rpent.cli.nested import load_command

            return load_command(f"{self.name}.{cmd_name}")
        module, _, attribute = self.table[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"`{module}:{attribute}` is not a click command.")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table."""
        rows = [(name, help_text) for name, (_, help_text) in self.table.items()]
        if self.shows_added and (added := self.added()):
            from rpent.cli.nested import summary_of

            rows += [(name, summary_of(f"{self.name}.{name}")) for name in added]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, or say which one may have been meant."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing and not name.startswith("-"):
            names = self.nameable(ctx)
            ctx.fail(f"No command is named `{name}`{did_you_mean(name, names)} Commands: {listing(names)}.")
        return super().resolve_command(ctx, args)
