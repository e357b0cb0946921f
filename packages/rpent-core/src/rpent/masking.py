"""What others say is quoted in errors and logs as one plain line, without keys."""

from __future__ import annotations

import os
import re

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8
"""Shorter values are settings (`MAX_TOKENS=8192`), and would mask parts of words."""


def without_keys(text: str) -> str:
    """Return the text with `$NAME` for each value of an environment variable that by its name is a secret."""
    secrets = {
        name: value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= _SHORTEST
    }
    for name, value in sorted(secrets.items(), key=lambda item: -len(item[1])):
        text = text.replace(value, f"${name}")
    return text


def quoted(text: str, *, secret: str | None = None, limit: int = 300) -> str:
    """Return what another program said as one printable, bounded line without keys.

    Args:
        text: Its words, with whatever control characters.
        secret: A key that this process sent, in whatever way it came here.
        limit: Characters at most.
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    line = without_keys(line.replace(secret, "[key]") if secret else line)
    return line if len(line) <= limit else line[:limit] + " …"
