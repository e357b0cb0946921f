"""Tools of RoboCasa's hand: what the fingers touch, and drawing the arm back before a drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool
from rpent_manipulation import rotations
from rpent_manipulation.panda import gripper as fingers
from rpent_manipulation.primitives.waypoints import TRANSIT, at
from rpent_manipulation.tools.motion import Gripper, motion_data

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent_manipulation.world import World

AHEAD_M, ABOVE_M = 0.25, 0.60
"""Where the hand rests, before and above the arm's base: as the benchmark begins its episodes."""

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

        A hand that points down rises first, one that reaches forwards comes back first.

        Args:
            gripper: What the fingers do meanwhile.
        """
        world = self.world
        before = np.array(world.state.eef_position)
        way = [at(point, gripper=gripper) for point in self._way_back(before)]
        world.move(way, TRANSIT)
        rest = at(self._rest(), yaw=world.home_yaw, gripper=gripper)
        return ToolResult(data=motion_data(world.move([rest], TRANSIT), before))

    def _rest(self) -> NDArray[np.float64]:
        ahead = AHEAD_M * np.asarray(self.world.facing)
        return np.asarray(self.world.base + np.array([*ahead, ABOVE_M]), dtype=np.float64)

    def _way_back(self, here: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the points on the way to the rest pose, within the workspace."""
        world, rest = self.world, self._rest()
        approach = rotations.from_quaternion(world.state.eef_quaternion)[:, 2]
        if approach[2] < DOWNWARDS:
            return [np.array([*here[:2], max(here[2], rest[2])])]
        back = max(0.0, float((here - rest)[:2] @ world.facing))
        drawn = np.array([*(here[:2] - back * np.asarray(world.facing)), here[2]])
        return [drawn, np.array([*drawn[:2], max(here[2], rest[2])])]
