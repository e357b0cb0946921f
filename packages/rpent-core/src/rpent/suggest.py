"""What the user may have meant: the closest of the accepted names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(name: str, options: Iterable[str]) -> str | None:
    """Return the accepted name that looks most like `name`, or None when none comes near."""
    from difflib import get_close_matches  # noqa: PLC0415  (only errors need it)

    matches = get_close_matches(name, list(options), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """Return `"; did you mean `x`?"`, or a full stop when nothing comes near: the end of a sentence."""
    match = closest(name, options)
    return f"; did you mean `{match}`?" if match else "."


def listing(options: Iterable[str]) -> str:
    """Return the names in backticks, sorted, or `none`."""
    return ", ".join(f"`{option}`" for option in sorted(options)) or "none"
