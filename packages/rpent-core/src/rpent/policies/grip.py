"""What the fingers tell while a policy picks something up: where they closed, whether on something, how far it rose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.env.types import Observation

TRACK = "track"
"""The key of `Observation.extra` under which `chunk_step` may tell how the hand went: (executed, 4), of each control
step x, y, z of the grasp point (world, metres) and the opening. Without it only the ends of chunks are known."""
COMMAND = "gripper_command"
"""The key of `Observation.extra` with the commanded width, -1 open to 1 closed, where an env server knows it."""
STEADY_M = 0.001
"""Fingers that move less than this in the last steps (or, without a track, in a chunk) have come to rest on something,
or on each other."""
STEADY_STEPS = 3
"""Control steps that fingers must rest: where they are told to and fro they stand still for one, holding nothing."""


class Grip:
    """Follows hand and fingers.

    Args:
        observation: The state at the beginning.
        empty_m: Fingers that closed on nothing are at most this far apart.
        closed_m: Fingers that are at least this far apart are open.
    """

    def __init__(self, observation: Observation, *, empty_m: float, closed_m: float) -> None:
        self._empty_m, self._closed_m = empty_m, closed_m
        self._steady = True
        self._last = observation
        self.closed_at: NDArray[np.float64] | None = None
        """(3,) the lowest place of the hand since the fingers closed; None while they are open."""
        self._follow(observation.eef_position, observation.gripper_opening_m)

    def follow(self, observation: Observation) -> None:
        """Take in the state after a chunk."""
        track = np.asarray(observation.extra.get(TRACK, np.zeros((0, 4))), np.float64)
        for row in track:
            self._follow(row[:3], float(row[3]))
        self._follow(observation.eef_position, observation.gripper_opening_m)
        lately = track[-STEADY_STEPS - 1 :, 3] if len(track) > 1 else [self.opening_m]
        self._steady = float(np.ptp([*lately, observation.gripper_opening_m])) < STEADY_M
        self._last = observation

    @property
    def opening_m(self) -> float:
        """The distance between the fingers."""
        return self._last.gripper_opening_m

    @property
    def lifted_m(self) -> float:
        """How far the hand has risen since the fingers closed; 0 while they are open."""
        if self.closed_at is None:
            return 0.0
        return max(0.0, float(self._last.eef_position[2] - self.closed_at[2]))

    @property
    def between(self) -> bool:
        """Whether fingers that were closed have come to rest with something between them."""
        shut = float(self._last.extra.get(COMMAND, 1.0)) > 0
        return shut and self._steady and self._empty_m < self.opening_m < self._closed_m

    def holds(self, lift_m: float) -> bool:
        """Whether something is between the fingers and was lifted this far."""
        return self.between and self.lifted_m >= lift_m

    def why_not(self) -> str:
        """Return as a clause why nothing is held."""
        if self.opening_m <= self._empty_m:
            return "the fingers closed on nothing"
        if not self.between:
            return "the fingers are open"
        return f"the fingers closed as on something, but the hand rose by only {self.lifted_m:.3f} m"

    def _follow(self, position: NDArray[np.float64], opening_m: float) -> None:
        if opening_m >= self._closed_m:
            self.closed_at = None
        elif self.closed_at is None or position[2] < self.closed_at[2]:
            self.closed_at = np.array(position, np.float64)
