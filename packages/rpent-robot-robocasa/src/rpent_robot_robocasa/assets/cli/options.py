"""Options that the commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def package_option(function: F) -> F:
    """Add `--package`: the simulator's package, where it is not in the managed environment."""
    return click.option(
        "--package",
        "package_dir",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Folder of an installed package `robocasa`.  [default: the managed environment's]",
    )(function)


def gigabytes(count: int) -> str:
    """Return a size for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
