"""Text that can be written anywhere: models and keyboards may give half of a surrogate pair, which has no UTF-8."""

from __future__ import annotations

from typing import Any


def encodable(value: Any) -> Any:
    """Return the value, with `�` for each half of a surrogate pair in its texts; objects and lists are gone through."""
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value
