"""Paths as users write them: `~` is their home."""

from __future__ import annotations

from pathlib import Path

from rpent.errors import UsageError


def expanded(path: Path | str) -> Path:
    """Return the absolute path, with `~` and `~NAME` replaced.

    Raises:
        UsageError: There is no such user, or nobody knows where their home is.
    """
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise UsageError(
            f"`{path}` begins with the home of a user that nothing is known of.",
            hint="Give the path without `~`.",
        ) from None
