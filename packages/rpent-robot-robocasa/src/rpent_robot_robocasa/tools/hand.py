"""Tools of RoboCasa's hand: what the fingers touch, and drawing the arm back before a drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool
from rpent_manipulation.panda import gripper as fingers
from rpent_manipulation.primitives.waypoints import TRANSIT, at
from rpent_manipulation.tools.motion import Gripper, motion_data

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent_manipulation.world import World

AHEAD_M, ABOVE_M = 0.25, 0.60
"""Where the hand rests, before and above the arm's base: as the benchmark begins its episodes."""

RISE_M = 0.12
"""How far the hand rises before it is drawn back; far out the arm cannot lift it higher."""
SINK_M = 0.02
"""How far it comes down again where something above stopped it."""

DOWNWARDS = -0.7
"""A hand whose approach axis has a smaller z points down: it is taken up first, any other one back first."""


class HandTools:
    """`check_grasp` and `retract`."""

    world: World

    @tool(readonly=True)
    def check_grasp(self) -> ToolResult:
        """Tell whether the fingers hold something, by their own sensors: contact of each pad, and their distance.

        Returns:
            `grasped`: both pads touch something and are held apart by it; `left_contact`, `right_contact`,
            `gripper_opening_m`; `holding`: what the tools believe it to be.
        """
        state = self.world.state
        touched = state.extra["finger_contacts"]
        left, right = bool(touched["left"]), bool(touched["right"])
        data = {
            "grasped": left and right and fingers.holds(state.gripper_opening_m),
            "left_contact": left,
            "right_contact": right,
            "gripper_opening_m": round(state.gripper_opening_m, 4),
            "holding": self.world.held.label if self.world.held else None,
        }
        return ToolResult(data=data)

    @tool
    def retract(self, gripper: Gripper = "hold") -> ToolResult:
        """Draw the hand back to its rest pose before the robot, pointing down: before a long drive, or to see more.

        A hand that points down rises first where there is room, one that reaches forwards comes straight back first.

        Args:
            gripper: What the fingers do meanwhile.
        """
        world = self.world
        before = np.array(world.state.eef_position)
        approach = world.hand_rotation[:, 2]
        blocked = approach[2] < DOWNWARDS and not self._rise(gripper)
        if blocked or approach[2] >= DOWNWARDS:
            world.move([at(self._drawn(SINK_M if blocked else 0.0), gripper=gripper)], TRANSIT)
        rest = at(self._rest(), yaw=world.home_yaw, gripper=gripper)
        return ToolResult(data=motion_data(world.move([rest], TRANSIT), before))

    def _rest(self) -> NDArray[np.float64]:
        ahead = AHEAD_M * np.asarray(self.world.facing)
        return np.asarray(self.world.base + np.array([*ahead, ABOVE_M]), dtype=np.float64)

    def _rise(self, gripper: Gripper) -> bool:
        """Take the hand up from what it is over; returns False where a wall cabinet or a hood stops it."""
        here = np.array(self.world.state.eef_position)
        up = np.clip(self._rest()[2] - here[2], 0.0, RISE_M)
        return (
            self.world.move([at(here + np.array([0.0, 0.0, up]), gripper=gripper)], TRANSIT).status
            != "stalled"
        )

    def _drawn(self, lower_m: float) -> NDArray[np.float64]:
        """Return the place straight back from where the hand is, as near to the robot as its rest."""
        here, facing = np.array(self.world.state.eef_position), np.asarray(self.world.facing)
        back = max(0.0, float((here - self._rest())[:2] @ facing))
        return np.array([*(here[:2] - back * facing), here[2] - lower_m])
