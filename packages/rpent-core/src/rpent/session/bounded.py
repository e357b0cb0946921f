"""Tool results as JSON text of bounded size that stays valid JSON."""

from __future__ import annotations

import json
from typing import Any

from rpent.runs.files import plain

MAX_TEXT = 20_000
"""Characters of a reply's text; a picture of the world needs less, and every turn pays for it again."""


def bounded_json(data: Any, limit: int = MAX_TEXT) -> str:
    """Serialise plain data; long strings and lists are shortened, with a note, until the text fits."""
    value = _rounded(plain(data))
    text = _dump(value)
    length, items = 8_000, 200
    while len(text) > limit and length > 50:
        text = _dump(_shortened(value, length, items))
        length, items = length // 2, max(2, items // 2)
    if len(text) > limit:
        text = _dump({"shortened": True, "keys": list(value)[:50] if isinstance(value, dict) else []})
    return text


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _rounded(value: Any) -> Any:
    """Round to what a robot can resolve (10 µm, 10 µrad): the other digits only cost tokens."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value


def _shortened(value: Any, length: int, items: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return f"{value[:length]}… ({len(value)} characters)"
    if isinstance(value, dict):
        kept = {key: _shortened(item, length, items) for key, item in list(value.items())[:items]}
        return kept | ({"…": f"{len(value) - items} more keys"} if len(value) > items else {})
    if isinstance(value, list):
        kept_items = [_shortened(item, length, items) for item in value[:items]]
        return kept_items + ([f"… {len(value) - items} more"] if len(value) > items else [])
    return value
