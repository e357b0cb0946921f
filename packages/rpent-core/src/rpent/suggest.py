"""What the user may have meant, and what they can type: the closest of the accepted names, a command for here."""

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


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends a sentence already."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def typeable(advice: str) -> str:
    """Return an advice with its pip commands as they work here: an environment made by uv has no pip.

    There `pip` would be another environment's.
    """
    import re  # noqa: PLC0415  (only errors need these)
    import shutil  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    if find_spec("pip") is not None or shutil.which("uv") is None:
        return advice
    return re.sub(r"(?<!uv )\bpip (?=(?:un)?install )", "uv pip ", advice)


def listing(options: Iterable[str]) -> str:
    """Return the names in backticks, sorted, or `none`."""
    return ", ".join(f"`{option}`" for option in sorted(options)) or "none"
