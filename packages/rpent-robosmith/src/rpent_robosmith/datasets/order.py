"""Order of names that hold numbers: `demo_2` before `demo_10`, `action.2` before `action.10`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIGITS = re.compile(r"(\d+)")
_NUMBERED = re.compile(r"^(.+?)[._\[](\d+)\]?$")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sorting key in which runs of digits count as numbers; any name has one."""
    parts = _DIGITS.split(name)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def numbered_groups(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Find columns that are one vector cut into numbers.

    Args:
        names: Column names.

    Returns:
        Name of the vector → its columns in numeric order: `action.0`, …, `action.10` are `action`. Only where they
        count from 0 or 1 without a gap.
    """
    found: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.match(name):
            found.setdefault(match[1], {})[int(match[2])] = name
    groups = {}
    for stem, columns in found.items():
        numbers = sorted(columns)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[-1] + 1)):
            groups[stem] = tuple(columns[number] for number in numbers)
    return groups
