"""PandaOmron's base: its outline, for planning, and what the env server moves it by. `server/omron.py` measured it."""

from __future__ import annotations

FRONT_M, BACK_M, HALF_WIDTH_M = 0.15, 0.55, 0.25
"""How far its collision box reaches ahead, back and to either side of the point below the arm."""

PIVOT_M = -0.21
"""Where the point lies that it turns about, ahead of the point below the arm (negative: behind it)."""

TORSO_RANGE_M = (0.0, 0.34)
"""The arm's shoulder is 1.03 m above the floor with the torso down."""
