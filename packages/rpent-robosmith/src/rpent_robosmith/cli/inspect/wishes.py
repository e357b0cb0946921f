"""Options that say what a comparison and a wrapper shall do: links, repairs, an instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.compatibility.pair import Wishes

F = TypeVar("F", bound="Callable[..., Any]")
REPAIRS = (
    "pad-actions",
    "cut-actions",
    "rescale-actions",
    "fill-observations",
    "cut-observations",
    "target-statistics",
)
"""As `rpent_robosmith.compatibility.report.Repair`, which is not imported for `--help`."""


def wishes_options(function: F) -> F:
    """Add `--map`, `--repair`, `--execute-steps` and `--instruction`."""
    for option in (
        click.option(
            "--instruction", metavar="TEXT", help="What the policy is told where the target tells nothing."
        ),
        click.option(
            "--execute-steps",
            type=click.IntRange(min=1),
            metavar="N",
            help="Actions of a chunk that are carried out.  [default: what the policy says]",
        ),
        click.option(
            "--repair",
            "repairs",
            type=click.Choice(REPAIRS),
            multiple=True,
            help="Do something that may be wrong, and say so in every file. May be repeated.",
        ),
        click.option(
            "--map",
            "links",
            multiple=True,
            metavar="KEY=KEY[+KEY]",
            help="Take one of the policy's inputs from these keys of the target. May be repeated.",
        ),
    ):
        function = option(function)
    return function


def wishes_of(options: Mapping[str, Any]) -> Wishes:
    """Return the options as they are used.

    Args:
        options: What click made of them: `links`, `repairs`, `execute_steps`, `instruction`.

    Raises:
        UsageError: A link is no `KEY=KEY`, or one is given twice.
    """
    from rpent.errors import UsageError

    from rpent_robosmith.compatibility.pair import Wishes

    found: dict[str, tuple[str, ...]] = {}
    for link in options["links"]:
        name, equals, keys = link.partition("=")
        parts = tuple(key.strip() for key in keys.split("+"))
        if not equals or not name.strip() or not all(parts):
            raise UsageError(f"`--map {link}` is no `KEY=KEY` or `KEY=KEY+KEY`.")
        if name.strip() in found:
            raise UsageError(f"`--map` is given twice for `{name.strip()}`.")
        found[name.strip()] = parts
    return Wishes(
        repairs=frozenset(options["repairs"]),
        links=found,
        execute_steps=options["execute_steps"],
        instruction=options["instruction"],
    )
