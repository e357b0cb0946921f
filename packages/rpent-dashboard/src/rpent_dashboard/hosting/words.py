"""A command line in words, as a shell splits it, with the place of each word."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from rpent_dashboard.hosting.errors import FieldError

_WORD = re.compile(r"""(?:"(?:\\(?:.|$)|[^"\\])*"?|'[^']*'?|\\(?:.|$)|[^\s"'\\])+""", re.DOTALL)
_SAFE = re.compile(r"[\w./:@%+,-]+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command line."""

    start: int
    end: int
    text: str
    """Without its quotation marks."""


def split(line: str) -> list[Word]:
    """Return the words of a line; a quotation mark that is not closed yet ends with the line."""
    return [Word(found.start(), found.end(), unquoted(found.group())) for found in _WORD.finditer(line)]


def checked_split(line: str) -> list[Word]:
    """Return the words of a complete line.

    Raises:
        FieldError: A quotation mark is not closed.
    """
    try:
        shlex.split(line)
    except ValueError:
        raise FieldError("A quotation mark is not closed.", hint="Close it, or put `\\` in front.") from None
    return split(line)


def unquoted(word: str) -> str:
    """Return a word without its quotation marks, open ones included, and without a lone backslash at its end."""
    if (len(word) - len(word.rstrip("\\"))) % 2:
        word = word[:-1]
    for closing in ("", '"', "'"):
        try:
            parts = shlex.split(word + closing)
        except ValueError:
            continue
        return "".join(parts)
    return word


def quoted(text: str) -> str:
    """Return a text as one word."""
    return text if _SAFE.fullmatch(text) else shlex.quote(text)
