"""Writes TOML: the standard library only reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any], prefix: str = "") -> str:
    """Return a table as TOML: plain values first, then its tables. Entries that are None are left out."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items() if value is not None]
    head = f"[{prefix}]\n" if prefix and lines else ""
    text = head + "".join(f"{line}\n" for line in lines)
    for key, value in table.items():
        if isinstance(value, Mapping):
            text += toml_text(value, f"{prefix}.{_key(key)}" if prefix else _key(key))
    return text


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # A JSON string is a TOML basic string once DEL, which JSON leaves alone, is escaped.
        return json.dumps(value).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value)
