"""Labels of what is no thing to work with, agreed between env servers that serve instance masks and who reads them."""

from __future__ import annotations

NOTHING = ""
"""Nothing that has a name: the background, or a mark that the simulator draws along the hand."""
ROBOT = "robot"
"""What perceptors that know the robot call it."""
SCENERY = "scenery"
"""What only stands around: walls, the floor, the table itself."""
