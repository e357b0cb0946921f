"""Letting a held thing go where it belongs: carry over, lower, open, retreat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_robot_libero.primitives import gripper
from rpent_robot_libero.primitives.path import CLEARANCE, Load, over
from rpent_robot_libero.primitives.placing import Held, Spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.env.types import Until, Waypoint
    from rpent_robot_libero.world import World

    Points = NDArray[np.float64]

TRANSIT: Until = {"position_tolerance_m": 0.02, "rotation_tolerance_rad": 0.2, "stall_steps": 12}
"""Tolerances on the way: corners are cut a little, and a stuck arm is noticed soon."""

OPEN_STEPS = 8
RETREAT = 0.07
SETTLE_STEPS = 16
"""Control steps that a dropped thing needs to come to rest (the motion ends at once when the task is solved)."""


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
    yaw = world.gripper_yaw
    goal = spot.position[:2] - (held.offset_at(yaw) if held else np.zeros(2))
    lower = spot.position[2] + (held.below_m if held else 0.0)
    load = held.load(yaw) if held else Load()
    end_z = max(lower, spot.clear_z + load.below_m + CLEARANCE)
    way = over(world.state.eef_position, goal, around, load, world.base, end_z=end_z)
    hand = {"yaw": yaw, "pitch": 0.0, "gripper": "hold"}
    carried = world.move([{"position": point, **hand} for point in way], TRANSIT)
    if carried.status in ("episode_over", "cancelled"):
        return carried.status
    final: list[Waypoint] = [{"position": np.array([*goal, lower]), **hand}]
    return world.move(final, {"position_tolerance_m": 0.007, "rotation_tolerance_rad": 0.08}).status


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
