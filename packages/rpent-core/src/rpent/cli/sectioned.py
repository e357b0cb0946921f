"""A command whose help shows core's options, then those of each chosen plugin under a heading of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.cli.sections import Section

SECTIONS = "rpent.cli.sections"
"""Where `click.Context.meta` keeps the sections of this invocation."""


class SectionedCommand(click.Command):
    """Its `parse_args` finds the plugins, puts their sections into the context, and then parses."""

    def core_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters that are there whatever was chosen; the last one is `--help`."""
        return super().get_params(ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return core's parameters and those of the chosen plugins."""
        core = self.core_params(ctx)
        extra = [option for section in sections_of(ctx) for option in section.options]
        return [*core[:-1], *extra, *core[-1:]] if extra else core

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write core's options, then each plugin's under its own heading."""
        core = [param for param in self.core_params(ctx) if isinstance(param, click.Option)]
        write_options(formatter, "Options", core, ctx)
        for section in sections_of(ctx):
            write_options(formatter, section.title, section.options, ctx)
        if text := self.more(ctx):
            formatter.write_paragraph()
            formatter.write_text(text)

    def more(self, ctx: click.Context) -> str:  # noqa: ARG002
        """Return what to type for options that this help does not show; empty when it shows all."""
        return ""


def sections_of(ctx: click.Context) -> Sequence[Section]:
    """Return the sections of this invocation."""
    found: Sequence[Section] = ctx.meta.get(SECTIONS, ())
    return found


def write_options(formatter: click.HelpFormatter, title: str, options: list[Any], ctx: click.Context) -> None:
    """Write the options under a heading."""
    rows = [record for option in options if (record := option.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
