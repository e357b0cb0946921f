"""The Panda hand's dimensions as the planners need them, measured from robosuite's model (metres)."""

from __future__ import annotations

MAX_OPENING = 0.08
"""Largest distance between the finger pads."""

MAX_GRASP_WIDTH = 0.074
"""Widest thing that is tried: leaves 3 mm on either side for errors of depth."""

FINGER_THICKNESS = 0.02
"""How far a finger reaches outwards from its pad."""

FINGER_HALF_WIDTH = 0.012
"""Half of a finger's size across the closing direction."""

TIP_BELOW_SITE = 0.010
"""How far the finger tips reach below the grasp point."""

PALM_ABOVE_SITE = 0.030
"""How far the palm is above the grasp point: nothing grasped may reach higher."""

PALM_HALF_LENGTH = 0.105
"""Half of the hand's size along the closing direction."""

PALM_HALF_WIDTH = 0.035
"""Half of the hand's size across the closing direction."""

WRIST_ABOVE_SITE = 0.15
"""From here up the wrist and forearm follow; seen from above they lie between the hand and the robot's base."""

WRIST_BEHIND, WRIST_BEYOND = 0.30, 0.056
"""How far wrist and forearm reach from the grasp point towards the base, and away from it."""

WRIST_HALF_WIDTH = 0.06

HELD_OPENING = 0.0026
"""A closed, empty hand shows less than 2.4 mm between its pads, a thin rim 5 to 9 mm."""
