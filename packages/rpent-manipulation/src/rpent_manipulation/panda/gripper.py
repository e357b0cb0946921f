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
"""From here up follow the wrist and the forearm; seen from above they lie between the hand and the robot's base."""

WRIST = ((-0.13, 0.056), (-0.056, 0.056))
"""Reach of the wrist (link 6) from the grasp point: (towards the base, away from it), (right, left) of that line."""

FOREARM = ((-0.31, -0.02), (-0.06, 0.13))
"""Likewise of the forearm (link 5), whose elbow side bulges to the left."""

HELD_OPENING = 0.0026
"""A closed, empty hand shows less than 2.4 mm between its pads, a thin rim 5 to 9 mm."""

OPEN_OPENING = MAX_OPENING - 0.003
"""Fingers that are wider apart have nothing between them."""


def holds(opening_m: float) -> bool:
    """Whether fingers that were closed, and are this far apart, have something between them."""
    return HELD_OPENING < opening_m < OPEN_OPENING


def command(opening_m: float) -> float:
    """Return the commanded width, from -1 (open) to 1 (closed), that brings the pads to a distance."""
    return 1.0 - 2.0 * min(max(opening_m / MAX_OPENING, 0.0), 1.0)
