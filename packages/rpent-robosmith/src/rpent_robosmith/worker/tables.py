"""The tables of an environment's docstring: which number of its observation or action is what.

Gymnasium's environments document their spaces as Markdown tables: a column `Num`, a column `Observation` or `Action`
that gives the meaning, and sometimes one that gives the unit (`Unit`, `Type (Unit)`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART = re.compile(r"\*\s*`(?P<key>\w+)`\s*:")
_CHOICE = re.compile(r"-\s*(?P<number>\d+):\s*(?P<name>.+)")
_KEYWORD = re.compile(r"^#+\s*(?P<space>Action|Observation) Space", re.IGNORECASE)
_UNIT = re.compile(r"\((?P<unit>[^()]*)\)\s*$")
NO_UNITS = {"", "-", "unitless", "v", "none"}
"""What the tables write where there is none; `v` is a typing error of theirs."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number."""

    name: str
    unit: str = ""


def tables_of(environment: type, part: str) -> list[list[Row]]:
    """Return the tables of `action`, `observation` or a part of a Dict observation, in their order.

    The docstring is that of the class or, where it has none, of the nearest base with one.
    """
    for cls in environment.__mro__:
        doc = cls.__doc__ or ""
        found = [rows for key, rows in _tables(doc) if key == part and rows]
        if found:
            return found
    return []


def _tables(doc: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield (part, rows) of each table, and of each list of choices under `Action Space`."""
    part = section = ""
    lines = [line.strip() for line in doc.splitlines()]
    number = 0
    while number < len(lines):
        line = lines[number]
        if heading := _KEYWORD.match(line):
            section, part = heading["space"].lower(), ""
        elif line.startswith("#"):
            section = part = ""
        elif bullet := _PART.match(line):
            part = bullet["key"]
        block = _block(lines, number, "|" if line.startswith("|") else "- ")
        if line.startswith("|"):
            kind, rows = _table(block)
            yield (part if kind == "observation" and part else kind), rows
        elif section == "action" and _CHOICE.match(line):
            yield "action", _choices(block)
        number += max(len(block), 1)


def _block(lines: list[str], start: int, prefix: str) -> list[str]:
    end = start
    while end < len(lines) and lines[end].startswith(prefix):
        end += 1
    return lines[start:end]


def _table(block: list[str]) -> tuple[str, list[Row]]:
    """Return which space a table is of (`action`, `observation`, or nothing) and its numbered rows."""
    header = [cell.lower() for cell in _cells(block[0])]
    kind = next((word for word in ("observation", "action") if word in header[1:2]), "")
    if not kind or header[0] != "num":
        return "", []
    unit = next((i for i, cell in enumerate(header) if cell in {"unit", "type (unit)"}), None)
    rows: list[Row] = []
    for line in block[2:]:
        cells = _cells(line)
        if cells[0].isdecimal() and int(cells[0]) == len(rows) and len(cells) > 1:
            text = cells[unit] if unit is not None and unit < len(cells) else ""
            rows.append(Row(name=cells[1], unit=_unit(text)))
    return kind, rows


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _unit(text: str) -> str:
    match = _UNIT.search(text)
    unit = match["unit"] if match else text
    return "" if unit.lower() in NO_UNITS else unit


def _choices(block: list[str]) -> list[Row]:
    matches = [_CHOICE.match(line) for line in block]
    return [Row(name=match["name"].rstrip(".")) for match in matches if match]
