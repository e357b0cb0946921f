"""Markdown from data: what models, datasets and users wrote is shown as text and never obeyed."""

from __future__ import annotations

import html
import math
import re
from typing import TYPE_CHECKING

from rpent.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*\[\]|~#!]|(?<!\w)_|_(?!\w)|^>)")
"""An underscore inside a word is none of Markdown's marks, and `>` only where a line begins."""
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
"""A name in backticks, as sentences have them: nothing inside is obeyed."""


def text(value: object) -> str:
    """Return a text on one line, with Markdown's and HTML's marks made harmless; pairs of backticks stay code."""
    line = " ".join(printable(str(value)).split())
    parts = _SPAN.split(line)
    return "".join(code(part) if number % 2 else _harmless(part) for number, part in enumerate(parts))


def _harmless(part: str) -> str:
    return _SPECIAL.sub(r"\\\1", html.escape(part, quote=False).replace("&gt;", ">"))


def code(value: object) -> str:
    """Return a text in backticks, whatever is in it."""
    line = " ".join(printable(str(value)).split()).replace("|", "¦")
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{space}{line}{space}{fence}"


def block(source: str, language: str = "") -> str:
    """Return a code block, whatever is in it."""
    longest = max((len(run) for run in re.findall(r"`+", source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{printable(source).rstrip()}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown already."""
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join('---' for _ in head)}|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def number(value: float | None) -> str:
    """Return a number with four digits."""
    if value is None:
        return "–"
    return "not a number" if math.isnan(value) else f"{value:.4g}"
