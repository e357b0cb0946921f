"""What came of a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_planner_flash.goals import Reference


@dataclass(frozen=True, slots=True)
class Result:
    """Whether a goal was reached, and what to say about it."""

    ok: bool
    detail: str


def unseen(reference: Reference) -> Result:
    """Return the failure of a goal whose thing is not in sight."""
    return Result(False, f"`{reference}` is nowhere to be seen.")
