"""Keys stay out of logs: what an error quotes may hold one."""

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
