"""How a request is tried again after a passing fault: how long after, and what the record says of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent.session.session import Session

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0


def pause_s(attempt: int) -> float:
    """Return how long to wait before an attempt (from 1): twice as long each time, and never quite the same."""
    return min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), LONGEST_PAUSE_S) * random.uniform(0.8, 1.2)  # noqa: S311


def say_retry(
    session: Session, trouble: str, *, attempt: int, limit: int, delay_s: float | None = None
) -> None:
    """Record that a request is tried again.

    Args:
        session: Whose model was asked.
        trouble: What went wrong, in a sentence.
        attempt: The number of the repetition, from 1.
        limit: How many there are at most.
        delay_s: How long after; None where the SDK does not say.
    """
    when = "" if delay_s is None else f" in {delay_s:.1f} s"
    session.notice(f"{trouble} Trying again{when} ({attempt} of {limit}).", level="warning")
