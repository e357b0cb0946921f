"""Tools that move the arm and the fingers where they are told to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field
from rpent.errors import ToolError
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

from rpent_manipulation.primitives.put import let_go
from rpent_manipulation.sight import rounded

if TYPE_CHECKING:
    from rpent.env.types import ServoResult, Until, Waypoint

    from rpent_manipulation.world import World

Position = Annotated[list[float], Field(min_length=3, max_length=3)]
Angle = Annotated[float, Field(ge=-6.3, le=6.3)]
Gripper = Literal["hold", "open", "close"]
MaxSteps = Annotated[int, Field(ge=1, le=400)]
Speed = Annotated[float, Field(ge=0.005, le=0.05)]
Tolerance = Annotated[float, Field(ge=0.002, le=0.05)]


class MotionTools:
    """`move_to`, `move_pose`, `rotate_wrist`, `rotate_pitch`, `set_gripper`, `release`."""

    world: World

    @tool
    def move_to(  # noqa: PLR0917  (tools are called by keyword)
        self,
        xyz: Position,
        yaw_rad: Angle | None = None,
        gripper: Gripper = "hold",
        tolerance_m: Tolerance = 0.008,
        max_step_m: Speed | None = None,
        max_steps: MaxSteps = 150,
    ) -> ToolResult:
        """Move the grasp point in a straight line to a world position, in closed loop; stops early when blocked.

        Args:
            xyz: Target [x, y, z] in metres, world frame.
            yaw_rad: Also turn the hand: at 0 the fingers close along the world's y axis, at ±1.57 along x.
            gripper: What the fingers do meanwhile.
            tolerance_m: How near is near enough.
            max_step_m: Speed: displacement commanded per control step (20 a second); left out, the robot's own.
            max_steps: Control steps after which it gives up.
        """
        waypoint: Waypoint = {
            "position": self.world.check_position(xyz),
            "gripper": gripper,
        }
        if max_step_m is not None:
            waypoint["max_step_m"] = max_step_m
        if yaw_rad is not None:
            waypoint["yaw"] = yaw_rad
        return self._motion(waypoint, {"position_tolerance_m": tolerance_m, "max_steps": max_steps})

    @tool
    def move_pose(  # noqa: PLR0917  (tools are called by keyword)
        self,
        xyz: Position,
        pitch_rad: Angle | None = None,
        yaw_rad: Angle | None = None,
        gripper: Gripper = "hold",
        tolerance_m: Tolerance = 0.01,
        tolerance_rad: Annotated[float, Field(ge=0.01, le=0.5)] = 0.06,
        max_steps: MaxSteps = 200,
    ) -> ToolResult:
        """Move the grasp point and tilt or turn the hand at the same time (cabinet fronts, low shelves).

        Args:
            xyz: Target [x, y, z] in metres, world frame.
            pitch_rad: Tilt of the approach axis; 0 points straight down. What is left out stays as it is.
            yaw_rad: Turn of the hand; at 0 the fingers close along the world's y axis.
            gripper: What the fingers do meanwhile.
            tolerance_m: How near is near enough.
            tolerance_rad: How well turned is well enough.
            max_steps: Control steps after which it gives up.
        """
        waypoint: Waypoint = {"position": self.world.check_position(xyz), "gripper": gripper}
        _set_angles(waypoint, yaw_rad, pitch_rad)
        until: Until = {
            "position_tolerance_m": tolerance_m,
            "rotation_tolerance_rad": tolerance_rad,
            "max_steps": max_steps,
        }
        return self._motion(waypoint, until)

    @tool
    def rotate_wrist(
        self,
        target_yaw_rad: Angle | None = None,
        delta_yaw_rad: Angle | None = None,
        gripper: Gripper = "hold",
        max_steps: MaxSteps = 80,
    ) -> ToolResult:
        """Turn the hand about the vertical axis, holding its position.

        Args:
            target_yaw_rad: Absolute yaw; at 0 the fingers close along the world's y axis, at ±1.57 along x.
            delta_yaw_rad: Angle relative to the present one; give one of the two.
            gripper: What the fingers do meanwhile.
            max_steps: Control steps after which it gives up.
        """
        yaw = _one_of("yaw", target_yaw_rad, delta_yaw_rad, self.world.gripper_yaw)
        return self._turn({"yaw": yaw, "gripper": gripper}, max_steps)

    @tool
    def rotate_pitch(
        self,
        target_pitch_rad: Angle | None = None,
        delta_pitch_rad: Angle | None = None,
        gripper: Gripper = "hold",
        max_steps: MaxSteps = 80,
    ) -> ToolResult:
        """Tilt the hand, holding its position.

        Args:
            target_pitch_rad: Absolute tilt of the approach axis; 0 points straight down.
            delta_pitch_rad: Tilt relative to the present one; give one of the two.
            gripper: What the fingers do meanwhile.
            max_steps: Control steps after which it gives up.
        """
        pitch = _one_of("pitch", target_pitch_rad, delta_pitch_rad, self.world.gripper_pitch)
        return self._turn({"pitch": pitch, "gripper": gripper}, max_steps)

    @tool
    def set_gripper(
        self,
        gripper: Literal["open", "close"] | Annotated[float, Field(ge=-1, le=1)] = "open",
        steps: Annotated[int, Field(ge=1, le=60)] = 10,
    ) -> ToolResult:
        """Drive the fingers while the hand stays where it is.

        Args:
            gripper: `open`, `close`, or a width from -1 (open) to 1 (closed).
            steps: Control steps to give them; 8 take them all the way.
        """
        waypoint: Waypoint = {"position": self.world.state.eef_position, "gripper": gripper, "steps": steps}
        return self._motion(waypoint, {"position_tolerance_m": 0.02, "max_steps": steps + 20})

    @tool
    def release(self, retreat_m: Annotated[float, Field(ge=0, le=0.3)] = 0.0) -> ToolResult:
        """Open the fingers and let go, then move straight up by `retreat_m`.

        Args:
            retreat_m: How far to move up afterwards, metres.
        """
        before = self.world.state
        released = let_go(self.world, retreat_m)
        after = self.world.state
        data = {
            "ok": released,
            "gripper_opening_m": round(after.gripper_opening_m, 4),
            "steps": after.step - before.step,
        }
        return ToolResult(data=data)

    def _turn(self, waypoint: Waypoint, max_steps: int) -> ToolResult:
        waypoint["position"] = self.world.state.eef_position
        until: Until = {
            "position_tolerance_m": 0.015,
            "rotation_tolerance_rad": 0.03,
            "max_steps": max_steps,
        }
        return self._motion(waypoint, until)

    def _motion(self, waypoint: Waypoint, until: Until) -> ToolResult:
        before = np.array(self.world.state.eef_position)
        result = self.world.move([waypoint], until)
        return ToolResult(data=motion_data(result, before))


def motion_data(result: ServoResult, before: Any) -> dict[str, Any]:
    """Return how a motion ended, as the planner reads it."""
    state = result.observation
    ok = result.status == "reached" or state.success
    return {
        "ok": ok,
        "status": result.status,
        "reason": "" if ok else _reason(result),
        "steps": result.steps,
        "eef_position": rounded(state.eef_position),
        "position_error_m": round(result.position_error_m, 4),
        "rotation_error_rad": round(result.rotation_error_rad, 4),
        "moved_m": round(float(np.linalg.norm(state.eef_position - before)), 4),
        "gripper_opening_m": round(state.gripper_opening_m, 4),
    }


def _reason(result: ServoResult) -> str:
    named = {
        "stalled": "no further progress",
        "step_budget": "out of steps",
        "episode_over": "the episode is over",
        "cancelled": "cancelled",
    }
    text = named.get(result.status, result.status)
    return f"{text}: {result.detail}" if result.detail else text


def _set_angles(waypoint: Waypoint, yaw_rad: float | None, pitch_rad: float | None) -> None:
    if yaw_rad is not None:
        waypoint["yaw"] = yaw_rad
    if pitch_rad is not None:
        waypoint["pitch"] = pitch_rad


def _one_of(what: str, target: float | None, delta: float | None, present: float) -> float:
    if (target is None) == (delta is None):
        raise ToolError(f"Give either `target_{what}_rad` or `delta_{what}_rad`.")
    return float(target) if target is not None else present + float(delta or 0.0)
