"""Which of several equals is being handled, remembered over looks between which only that one moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_planner_flash.ground import Match
    from rpent_planner_flash.scene import Candidate

SAME_M = 0.03
"""A thing that was not touched is found again within this distance."""
MOVED_M = 0.06
"""A thing that was touched counts as moved from here on: the hand may hide a part of it."""
TRIES_EACH = 3
"""Attempts at one candidate before the next best has its turn."""
CLEAR = 0.5
"""The next best candidate is tried when it fits at least this share as well as the best."""


class Chosen:
    """The thing that a goal is about, and the equals that it must not be confused with."""

    def __init__(self) -> None:
        self.position: NDArray[np.float64] | None = None
        self.others: list[NDArray[np.float64]] = []
        self.longest_m = 0.0
        """Its longest edge, as it was seen when it was taken."""
        self.tries = 0
        """How often it was taken from where it is now: the number of the next grasp."""

    def among(self, matches: Sequence[Match]) -> list[Match]:
        """Return what may be the chosen thing: all at first, later only what is not one of the others."""
        return [m for m in matches if not any(_near(m.candidate, other) for other in self.others)]

    def take(self, matches: Sequence[Match], attempt: int) -> Candidate:
        """Choose: the best match; once that failed often, the next best if it fits about as well."""
        good = [m for m in matches if m.score > CLEAR * matches[0].score]
        taken = good[min(attempt // TRIES_EACH, len(good) - 1)].candidate
        again = self.position is not None and _near(taken, self.position, MOVED_M)
        self.tries = self.tries + 1 if again else 0
        self.position = taken.position
        self.longest_m = max(self.longest_m, float(taken.size.max()))
        if len(good) == 1:
            self.others += [m.candidate.position for m in matches if m.candidate is not taken]
        return taken

    def stayed(self, matches: Sequence[Match]) -> bool:
        """Whether the chosen thing is still where it was taken from."""
        return self.position is not None and any(_near(m.candidate, self.position) for m in matches)


def _near(candidate: Candidate, position: NDArray[np.float64], within_m: float = SAME_M) -> bool:
    return float(np.linalg.norm(candidate.position - position)) < within_m
