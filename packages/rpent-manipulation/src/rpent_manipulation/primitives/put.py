"""Letting a held thing go where it belongs: carry over, lower, open, retreat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.path import CLEARANCE, Load, over
from rpent_manipulation.primitives.waypoints import TRANSIT, at

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.planning.placing import Spot
    from rpent_manipulation.primitives.held import Held
    from rpent_manipulation.world import World

LOWERING: Until = {"position_tolerance_m": 0.007, "rotation_tolerance_rad": 0.08}

LOOSE_STEPS = 6
"""Control steps that fingers which are told to be open need until they are, with a wide thing between them."""
SNAP = 0.3
"""Commanded width that both pads touch a wide thing with."""

STICKY = 0.045
"""Things wider than this may cling to a pad when the fingers open."""
LET_GO = 0.06
"""Fingers this far apart, metres, have let go, even of a wide thing that clings to one of them."""
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


def put(world: World, spot: Spot, around: Points) -> PutResult:
    """Carry what is held to a spot and let it go there."""
    held = world.held
    carried = _carry(world, spot, around, held)
    if not gripper.holds(world.state.gripper_opening_m) and not world.state.success:
        return PutResult(
            released=False,
            reason=f"{f'the {held.label}' if held else 'what it held'} slipped out of the hand on the way",
            position=world.state.eef_position,
        )
    if carried not in ("reached", "episode_over", "stalled"):
        return PutResult(
            released=False, reason=f"the motion ended early ({carried})", position=_under(world, held)
        )
    position = _under(world, held)
    released = let_go(world)
    return PutResult(
        released=released, reason="" if released else "the fingers did not open", position=position
    )


def _carry(world: World, spot: Spot, around: Points, held: Held | None) -> str:
    yaw = world.gripper_yaw
    goal = spot.position[:2] - (held.offset_at(yaw) if held else np.zeros(2))
    lower = spot.position[2] + (held.below_m if held else 0.0)
    load = held.load(yaw) if held else Load()
    end_z = max(lower, spot.clear_z + load.below_m + CLEARANCE)
    way = over(
        world.state.eef_position,
        goal,
        around,
        load,
        world.base,
        end_z=end_z,
        overhead=world.overhead(spot.clear_z),
        yaws=(yaw,),
    )
    carried = world.move([at(point, yaw=yaw) for point in way], TRANSIT)
    if carried.status in ("episode_over", "cancelled"):
        return carried.status
    return world.move([at(np.array([*goal, lower]), yaw=yaw)], LOWERING).status


def _under(world: World, held: Held | None) -> NDArray[np.float64]:
    position = np.array(world.state.eef_position)
    if held is not None:
        position[:2] += held.offset_at(world.gripper_yaw)
        position[2] -= held.below_m
    return position


def let_go(world: World, retreat_m: float = RETREAT) -> bool:
    """Open the fingers and move up, away from what was let go.

    Returns:
        Whether they opened, as far as the motion went: it ends at once when the task is solved.
    """
    place = np.array(world.state.eef_position)
    width = world.state.gripper_opening_m
    waypoints = [at(place, gripper="open", steps=world.open_steps)]
    if STICKY < width < gripper.MAX_OPENING - 0.005:
        # Wide, light boxes cling to one pad in the simulator, even while it moves away; closing again frees them.
        waypoints[0]["steps"] = world.open_steps + LOOSE_STEPS
        waypoints.append(at(place, gripper=SNAP, steps=world.open_steps))
        waypoints.append(at(place, gripper="open", steps=world.open_steps + LOOSE_STEPS))
    if retreat_m > 0:
        up = place + np.array([0.0, 0.0, retreat_m])
        waypoints.append(at(up, gripper="open", steps=SETTLE_STEPS))
    world.move(waypoints, {"position_tolerance_m": 0.015})
    released = world.state.gripper_opening_m > LET_GO or world.state.success
    if released:
        world.held = None
    return released
