"""Short ways to say where the hand goes, and how exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until, Waypoint

TRANSIT: Until = {"position_tolerance_m": 0.02, "rotation_tolerance_rad": 0.2, "stall_steps": 12}
"""On the way: corners are cut a little, and a stuck arm is noticed soon."""

EXACT: Until = {"position_tolerance_m": 0.006, "rotation_tolerance_rad": 0.06}
"""Where fingers meet things."""


def at(
    position: NDArray[Any], *, yaw: float | None = None, gripper: Any = "hold", steps: int = 0
) -> Waypoint:
    """Return a waypoint; with a yaw the hand points straight down, without one it keeps its orientation."""
    waypoint: Waypoint = {"position": position, "gripper": gripper, "steps": steps}
    if yaw is not None:
        waypoint["yaw"], waypoint["pitch"] = yaw, 0.0
    return waypoint


def posed(
    position: NDArray[Any], quaternion: NDArray[Any], *, gripper: Any = "hold", steps: int = 0
) -> Waypoint:
    """Return a waypoint with a full orientation, quaternion [x, y, z, w]."""
    return {"position": position, "quaternion": quaternion, "gripper": gripper, "steps": steps}
