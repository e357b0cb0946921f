"""PandaOmron's base as the agent's side plans with it."""

from __future__ import annotations

from rpent_manipulation.planning.floor import Footprint

FOOTPRINT = Footprint(front_m=0.15, back_m=0.55, half_width_m=0.25, pivot_m=-0.21)
"""Of the base's collision box, from the point below the arm; see `server/omron.py` for how it moves."""

TORSO_RANGE_M = (0.0, 0.34)
"""The arm's shoulder is 1.03 m above the floor with the torso down."""
