"""What contact motions report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactResult:
    """How a pull, push or turn ended."""

    ok: bool
    moved_m: float = 0.0
    reason: str = ""
    angle_rad: float | None = None
    seen: bool | None = None
    """Whether the thing was seen again afterwards, so that the numbers are the thing's own; None: nobody looked."""


def failed(
    reason: str, moved_m: float = 0.0, angle_rad: float | None = None, seen: bool | None = None
) -> ContactResult:
    """Return the result of a motion that did not do what it was asked."""
    return ContactResult(ok=False, moved_m=moved_m, reason=reason, angle_rad=angle_rad, seen=seen)


def unsure(why: str, moved_m: float = 0.0, angle_rad: float | None = None) -> ContactResult:
    """Return the result of a motion whose outcome is out of sight: it is not claimed, whatever the hand did."""
    return failed(f"out of sight now, so not known; {why}", moved_m, angle_rad, seen=False)
