"""Where a mobile robot stands: which of several equals is meant, and what left and right are to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_planner_flash.relations import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_planner_flash.goals import Direction
    from rpent_planner_flash.scene import Candidate

AHEAD_M = 0.7
"""What a robot stands before is about this far ahead of its base's middle."""
HAND_M = 0.85
"""Height at which hands work in a kitchen: of stacked equals the one nearest to it is meant."""
NEARER_M = 0.5
"""A thing this much farther away is e times less likely meant than its equal."""
ASIDE_M = 0.06
"""How gradually what is ahead turns into what is on the left or on the right."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A robot's base in the world."""

    position: NDArray[np.float64]
    """(2,) of the base's middle, metres."""
    yaw_rad: float

    @classmethod
    def of(cls, observation: Mapping[str, Any]) -> Standing | None:
        """Read it from an observation; None where a robot has no base that moves."""
        position, yaw = observation.get("base_position"), observation.get("base_yaw_rad")
        if position is None or yaw is None:
            return None
        return cls(np.asarray(position[:2], dtype=np.float64), float(yaw))

    @property
    def forward(self) -> NDArray[np.float64]:
        """Unit vector (2,) of where the robot faces."""
        return np.array([math.cos(self.yaw_rad), math.sin(self.yaw_rad)])

    @property
    def view(self) -> View:
        """The directions as the robot sees them: the front of a thing is the side towards the robot."""
        forward = self.forward
        return View((float(forward[1]), float(-forward[0])), (float(-forward[0]), float(-forward[1])))

    def nearness(self, thing: Candidate) -> float:
        """Return how likely a thing is meant for being near to where the robot stands and faces, 0 to 1."""
        ahead = self.position + AHEAD_M * self.forward
        away = math.hypot(float(np.linalg.norm(thing.xy - ahead)), float(thing.position[2]) - HAND_M)
        return math.exp(-away / NEARER_M)

    def on_side(self, thing: Candidate, side: Direction) -> float:
        """Return how well a thing is on a side of the robot, 0 to 1; not how far out it is there."""
        offset = thing.xy - self.position
        aside = float(offset @ self.view.right)
        along = {"left": -aside, "right": aside}.get(side)
        if along is None:
            return math.exp(-abs(aside) / ASIDE_M) if side == "middle" else 1.0
        return 1.0 / (1.0 + math.exp(-along / ASIDE_M))
