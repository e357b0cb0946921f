"""The first of two phases of parsing: what is known before a plugin has brought its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence


def scouted(
    command: click.Command, ctx: click.Context, args: list[str], *, more: Sequence[click.Option] = ()
) -> tuple[str | None, dict[str, Any]]:
    """Return a command's first argument and the values of its own options (and of `more`), each as it was typed.

    The argument must come before the options that it brings, which are not known yet.
    """
    own = [param for param in command.params if isinstance(param, click.Option) and not param.is_flag]
    options = [plain(option) for option in (*own, *more)]
    found = scout([*options, click.Argument(["first"], required=False)], ctx, args)
    candidates = [found.params.get("first"), *found.args]
    first = next((text for text in candidates if text and not text.startswith("-")), None)
    return first, found.params


def first_positional(command: click.Command, ctx: click.Context, args: list[str]) -> str | None:
    """Return a command's first argument; see `scouted`."""
    return scouted(command, ctx, args)[0]


def scout(params: list[click.Parameter], ctx: click.Context, args: list[str]) -> click.Context:
    """Parse what is known so far; what the second phase will know is left alone, and nothing is asked for."""
    command = click.Command("scout", params=params, add_help_option=False)
    return command.make_context(
        "scout",
        list(args),
        parent=ctx.parent,
        resilient_parsing=True,
        ignore_unknown_options=True,
        allow_extra_args=True,
    )


def plain(option: click.Parameter) -> click.Parameter:
    """Return an option of the same names that takes any text."""
    return click.Option(
        [str(option.name), *option.opts], multiple=option.multiple, envvar=option.envvar, default=None
    )
