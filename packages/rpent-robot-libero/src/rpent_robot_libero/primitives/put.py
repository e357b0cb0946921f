"""Letting a held thing go where it belongs: carry over, lower, open, retreat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robot_libero.primitives import gripper
from rpent_robot_libero.primitives.placing import Held, Spot, carry_height

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.env.types import Waypoint
    from rpent_robot_libero.world import World

    Points = NDArray[np.float64]

OPEN_STEPS = 8
RETREAT = 0.07
SETTLE_STEPS = 8
"""Control steps that a dropped thing needs to come to rest; the hand moves away meanwhile."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PutResult:
    """How a placement ended."""

    released: bool
    reason: str
    position: NDArray[np.float64]
    """(3,) where the thing's middle and bottom were let go."""
    dropped_on_the_way: bool = False


def put(world: World, spot: Spot, around: Points) -> PutResult:
    """Carry what is held to a spot and let it go there."""
    held = world.held
    carried = _carry(world, spot, around, held)
    if held is not None and world.state.gripper_opening_m <= gripper.HELD_OPENING:
        world.held = None
        return PutResult(
            released=False,
            reason=f"the {held.label} slipped out of the hand on the way",
            position=world.state.eef_position,
            dropped_on_the_way=True,
        )
    if carried not in ("reached", "episode_over", "stalled"):
        return PutResult(released=False, reason=f"the motion ended early ({carried})", position=_under(world, held))
    position = _under(world, held)
    let_go(world)
    return PutResult(released=True, reason="", position=position)


def _carry(world: World, spot: Spot, around: Points, held: Held | None) -> str:
    start = world.state.eef_position
    yaw = world.gripper_yaw
    offset = held.offset_at(yaw) if held else np.zeros(2)
    goal = spot.position[:2] - offset
    below = held.below_m if held else 0.0
    lower = spot.position[2] + below
    over = max(carry_height(start[:2], goal, around, held, spot.clear_z), lower)
    waypoints: list[Waypoint] = []
    if over > start[2] + 0.015:
        waypoints.append({"position": np.array([start[0], start[1], over])})
    waypoints.append({"position": np.array([*goal, max(over, start[2])])})
    waypoints.append({"position": np.array([*goal, lower])})
    for waypoint in waypoints:
        waypoint.update(yaw=yaw, pitch=0.0, gripper="hold")
    return world.move(waypoints, {"position_tolerance_m": 0.008, "rotation_tolerance_rad": 0.08}).status


def _under(world: World, held: Held | None) -> NDArray[np.float64]:
    position = np.array(world.state.eef_position)
    if held is not None:
        position[:2] += held.offset_at(world.gripper_yaw)
        position[2] -= held.below_m
    return position


def let_go(world: World, retreat_m: float = RETREAT) -> None:
    """Open the fingers and move up, away from what was let go."""
    position = np.array(world.state.eef_position)
    up = position + np.array([0.0, 0.0, retreat_m])
    waypoints: list[Waypoint] = [{"position": position, "gripper": "open", "steps": OPEN_STEPS}]
    if retreat_m > 0:
        waypoints.append({"position": up, "gripper": "open", "steps": SETTLE_STEPS})
    world.move(waypoints, {"position_tolerance_m": 0.015})
    world.held = None
