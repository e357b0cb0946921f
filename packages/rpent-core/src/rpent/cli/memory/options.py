"""Options that the memory's commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.memory.store import Store
    from rpent.memory.validate import Problem

F = TypeVar("F", bound="Callable[..., Any]")


def memory_dir_option(function: F) -> F:
    """Add `--memory-dir`."""
    return click.option(
        "--memory-dir",
        type=click.Path(file_okay=False),
        help="Where the memory is.  [default: RPENT_MEMORY_DIR, else the user's data folder]",
    )(function)


def robot_option(function: F) -> F:
    """Add `--robot`. Any name goes: a memory may be of a robot that is not installed here."""
    return click.option("--robot", metavar="NAME", help="Whose memory.")(function)


def open_store(memory_dir: str | None, robot: str) -> Store:
    """Return a robot's memory; a wait for its lock is told on standard error."""
    from rpent.memory.store import Store

    return Store.at(memory_dir, robot, waiting=lambda text: click.echo(text, err=True))


def known_robots(root: Path, robot: str | None) -> list[str]:
    """Return the chosen robot, or all that have a memory.

    Raises:
        UsageError: The chosen one has none.
    """
    from rpent.errors import UsageError
    from rpent.memory.store import robots
    from rpent.suggest import did_you_mean, listing

    known = robots(root)
    if robot is None:
        return known
    if robot not in known:
        raise UsageError(
            f"There is no memory of the robot `{robot}` in `{root}`{did_you_mean(robot, known)}",
            hint=f"There is one of {listing(known)}.",
        )
    return [robot]


def one_robot(root: Path, robot: str | None) -> str:
    """Return the chosen robot, or the only one that has a memory.

    Raises:
        UsageError: There is none, or more than one to choose from.
    """
    from rpent.errors import UsageError
    from rpent.suggest import listing

    found = known_robots(root, robot)
    if len(found) != 1:
        raise UsageError(
            f"There are memories of {len(found)} robots in `{root}`: {listing(found)}.",
            hint="Choose with `--robot NAME`." if found else "`rpent run --explore` makes one.",
        )
    return found[0]


def print_problems(problems: tuple[Problem, ...] | list[Problem], prefix: str = "") -> None:
    """Print each problem on a line of standard error."""
    from rpent.printable import printable

    for problem in problems:
        click.echo(f"{prefix}{printable(str(problem))}", err=True)
