"""When a policy is not getting anywhere: a hand that stands still, a hand outside of its workspace."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent.env.types import Observation

STALL_CHUNKS = 4
"""Chunks that come to nothing: a policy that looks again gets some chances to decide otherwise."""
STALL_STEPS = 40
"""And at least this many control steps, two seconds at the usual 20 Hz: fingers take about half a second to close, and
a policy that carries out few steps of each chunk needs many chunks for that."""
STALL_M = 0.004
"""A hand that stays within this distance stands still: above the sag and tremble of a controller that holds a pose, and
below what a slow demonstration moves in two seconds."""
STALL_RAD = 0.03
"""The same for its orientation."""
STALL_OPENING_M = 0.002
"""The same for the distance between its fingers."""
OUTSIDE_M = 0.002
"""How far beyond the workspace counts as outside: a controller overshoots a little where an env server stops it."""


class StallWatch:
    """Tells when neither hand nor fingers have moved for some chunks."""

    def __init__(self, observation: Observation) -> None:
        self._seen: deque[Observation] = deque([observation])

    def stalled(self, observation: Observation) -> bool:
        """Whether the hand has stood still up to this observation, which ends a chunk."""
        while self._seen and not _still(self._seen[-1], observation):
            self._seen.clear()
        self._seen.append(observation)
        while not all(_still(other, observation) for other in self._seen):
            self._seen.popleft()
        chunks, steps = len(self._seen) - 1, observation.step - self._seen[0].step
        return chunks >= STALL_CHUNKS and steps >= STALL_STEPS


def _still(one: Observation, other: Observation) -> bool:
    moved = float(np.linalg.norm(one.eef_position - other.eef_position))
    fingers = abs(one.gripper_opening_m - other.gripper_opening_m)
    return moved < STALL_M and fingers < STALL_OPENING_M and _angle(one, other) < STALL_RAD


def _angle(one: Observation, other: Observation) -> float:
    """Return the angle between two orientations, radians."""
    dot = abs(float(np.dot(one.eef_quaternion, other.eef_quaternion)))
    return 2 * math.acos(min(1.0, dot))


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """The workspace of the grasp point, world, metres."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Box | None:
        """Read it from an env server's `describe`; None where it names none."""
        workspace = described.get("workspace")
        if not workspace:
            return None
        return cls(
            low=np.asarray(workspace["low"], np.float64), high=np.asarray(workspace["high"], np.float64)
        )

    def beyond(self, observation: Observation) -> float:
        """Return how far outside the hand is, metres; 0 inside."""
        position = observation.eef_position
        return float(max(0.0, np.max(self.low - position), np.max(position - self.high)))

    def left(self, before: Observation, after: Observation) -> bool:
        """Whether the hand went outside, or further outside than it was; one that comes back in may."""
        beyond = self.beyond(after)
        return beyond > OUTSIDE_M and beyond >= self.beyond(before)
