"""How far the room reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rpent_manipulation.env.guardrails import Workspace

if TYPE_CHECKING:
    from rpent_robot_robocasa.server.kitchen import Kitchen

CEILING_M = 2.3
"""Above the tallest furniture that the arm could be wanted at."""


def workspace(kitchen: Kitchen) -> Workspace:
    """Return the box over the kitchen's floors, which are quarter-turned walls: their first half extent is along y."""
    floors = [floor for floor in kitchen.fixtures("Floor") if "backing" not in floor.name]
    corners = [
        np.array(floor.pos[:2]) + sign * np.array(floor.size[1::-1]) for floor in floors for sign in (-1, 1)
    ]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return Workspace(low=np.array([*low, 0.0]), high=np.array([*high, CEILING_M]))
