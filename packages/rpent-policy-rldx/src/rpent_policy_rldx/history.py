"""What an episode showed, where questions do not tell it: the frames that one about now needs from before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class History(Generic[T]):
    """Observations by control step. We see one with each question; between two of them the robot moves `stride` steps.

    A question wants frames at certain steps before now; it gets those that were seen nearest to them, the older one of
    two, and before the beginning the first one. With a stride that divides the wanted steps they are exact.

    Args:
        stride: Control steps from one question to the next.
        reach: How many steps back frames are wanted.
    """

    def __init__(self, *, stride: int, reach: int) -> None:
        self._stride, self._reach = stride, reach
        self._seen: list[tuple[int, T]] = []

    def see(self, question: int, observation: T) -> None:
        """Keep what was seen with the episode's nth question; the same question again replaces it."""
        now = question * self._stride
        self._seen = [(step, each) for step, each in self._seen if step < now]
        self._seen.append((now, observation))
        while len(self._seen) > 1 and self._seen[1][0] <= now - self._reach:
            del self._seen[0]

    def at(self, deltas: Sequence[int]) -> list[T]:
        """Return one observation for each step relative to now (0 or negative), in that order."""
        now = self._seen[-1][0]
        return [nearest(self._seen, now + delta) for delta in deltas]


def nearest(seen: Sequence[tuple[int, T]], step: int) -> T:
    """Return what was seen nearest to a control step, the older one of two."""
    return min(seen, key=lambda each: (abs(each[0] - step), each[0]))[1]
