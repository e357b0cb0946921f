"""`--interactive`: the run is steered from this terminal."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpent.run.steering import Steering

F = TypeVar("F", bound="Callable[..., Any]")


def interactive_option(function: F) -> F:
    """Add `--interactive`."""
    return click.option(
        "--interactive",
        "-i",
        is_flag=True,
        help="Edit the task first, then steer the planner from this terminal: type to it, Esc interrupts.",
    )(function)


@contextmanager
def steered(options: dict[str, Any]) -> Iterator[Steering | None]:
    """Yield the terminal that steers the run, or None for a run that nobody accompanies.

    Raises:
        UsageError: There is no terminal, or the options need one that nobody types into.
    """
    if not options["interactive"]:
        yield None
        return
    check(options)
    from rpent.terminal.terminal import Terminal

    with Terminal(on_quit=lambda: os.kill(os.getpid(), signal.SIGINT)) as terminal:
        yield terminal


def check(options: dict[str, Any]) -> None:
    """Refuse what does not go with a conversation.

    Raises:
        UsageError: There is no terminal, or output was asked for that a program reads.
    """
    from rpent.errors import UsageError

    if options.get("explore"):
        raise UsageError(
            "`--explore` goes on by itself for several attempts; `--interactive` waits for you.",
            hint="Give one of them.",
        )
    if options.get("as_json") or options.get("progress") in {"json", "live"}:
        raise UsageError("`--interactive` shows the run itself.", hint="Leave out `--json` and `--progress`.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "`--interactive` needs a terminal to read from and to write to.",
            hint="Leave it out in scripts and pipes.",
        )
    if (term := os.environ.get("TERM", "")) in {"dumb", "unknown"}:
        raise UsageError(
            f"`--interactive` needs a terminal that can move its cursor; `TERM` is `{term}`.",
            hint="Set `TERM` to what the terminal is, such as `xterm-256color`.",
        )
