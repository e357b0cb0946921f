"""Front ends of `rpent run`: the name of each that is installed is a flag, and its options begin with the name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent.cli.sections import Section
    from rpent.specs import DashboardSpec

KIND = "frontends"
_PREFIX = "frontend_"
"""In the names of the flags' parameters, which therefore meet no other option's."""


def frontend_flags(taken: Iterable[str]) -> list[click.Option]:
    """Return a flag for each installed front end, from metadata alone; one that means something else gets none."""
    spoken_for = frozenset(taken)
    return [
        click.Option(
            [f"--{name}", f"{_PREFIX}{name.replace('-', '_')}"],
            is_flag=True,
            help=f"Watch and steer the run in the front end `{name}`, which adds options.",
        )
        for name in registry.names(KIND)
        if f"--{name}" not in spoken_for
    ]


def given_frontends(flags: Sequence[click.Option], params: dict[str, Any]) -> list[str]:
    """Return the front ends whose flags were typed."""
    return [flag.opts[0][2:] for flag in flags if params.get(str(flag.name))]


def check_alone(names: Sequence[str], options: dict[str, Any]) -> None:
    """Refuse what does not go with a front end.

    Args:
        names: The front ends that were asked for.
        options: The parsed options of the run.

    Raises:
        UsageError: Another front end, or something that shows or steers the run in another way.
    """
    from rpent.errors import UsageError

    if not names:
        return
    one = "Give one of them."
    if len(names) > 1:
        raise UsageError(f"`--{names[0]}` and `--{names[1]}` both steer the run.", hint=one)
    if options.get("interactive"):
        raise UsageError(f"`--{names[0]}` and `--interactive` both steer the run.", hint=one)
    if options.get("explore"):
        raise UsageError(
            f"`--explore` goes on by itself for several attempts; `--{names[0]}` waits for you.", hint=one
        )
    if options.get("as_json") or options.get("progress") == "json":
        typed = "--json" if options.get("as_json") else "--progress json"
        raise UsageError(
            f"`{typed}` prints one run for a program; `--{names[0]}` carries out as many as its user likes.",
            hint=one,
        )


def task_fields(robot: Section) -> frozenset[str]:
    """Return the fields of a robot's config model that choose a task."""
    from rpent.cli.options import field_name

    dashboard: DashboardSpec = registry.get(robot.kind, robot.name).dashboard
    return frozenset(dashboard.task_fields) or frozenset(field_name(option) for option in robot.own)


def ask_later(sections: Iterable[Section]) -> None:
    """Let a robot's task be left out: it can be chosen in the front end."""
    from rpent.cli.options import field_name

    for section in sections:
        if section.kind == "robots":
            fields = task_fields(section)
            for option in section.own:
                if field_name(option) in fields:
                    option.required = False
