"""Turning a knob: grasp its bar from above across the narrow side, and rotate the wrist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.geometry import wrap_angle
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.grasping import Grasp, Scene, plan_top
from rpent_manipulation.planning.path import CLEARANCE, Load, over
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.waypoints import TRANSIT, at

if TYPE_CHECKING:
    from rpent.env.types import Until

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

TURN_RAD = 1.3
"""How far a knob is turned: the stove's is on from 0.5 rad."""

KNOB_BAR = 0.014
"""What is within this of a knob's top is the bar that is gripped; what is below is its disc."""

AROUND_BAR: Until = {"position_tolerance_m": 0.01, "rotation_tolerance_rad": 0.08}


def turn(world: World, thing: Found, direction: str) -> ContactResult:
    """Turn a knob `on`, `off`, `clockwise` or `counterclockwise` as seen from above; on is counterclockwise."""
    sign = 1.0 if direction in ("on", "counterclockwise") else -1.0
    raised = thing.points[:, 2] > cloud.top_height(thing.points) - KNOB_BAR
    bar, rest = thing.points[raised], np.concatenate([world.around(thing), thing.points[~raised]])
    # The wrist starts turned back, so that its whole range is ahead of it.
    scene = Scene(points=bar, obstacles=rest, home_yaw=world.home_yaw - sign * TURN_RAD / 2, base=world.base)
    grasps = plan_top(scene)
    if not grasps:
        return failed("the knob is too wide for the hand", angle_rad=0.0)
    grasp = min(grasps, key=lambda one: one.cost)
    way = over(
        world.state.eef_position,
        grasp.position[:2],
        np.concatenate([rest, bar]),
        Load(),
        world.base,
        end_z=float(grasp.middle[2]) + CLEARANCE,
    )
    world.move([at(point, yaw=grasp.yaw_rad, gripper="open") for point in way], TRANSIT)
    held, angle = _twist(world, grasp, sign)
    place = np.array(world.state.eef_position)
    world.move([at(place, gripper="open"), at(place + np.array([0.0, 0.0, 0.10]))], TRANSIT)
    if world.state.success or (held and abs(angle) > TURN_RAD / 2):
        return ContactResult(ok=True, angle_rad=angle)
    return failed(
        "the fingers slipped off the knob" if not held else f"it stopped after {angle:.2f} rad", 0.0, angle
    )


def _twist(world: World, grasp: Grasp, sign: float) -> tuple[bool, float]:
    """Close around the bar and rotate; returns whether it is still held, and the angle."""
    yaw = grasp.yaw_rad
    closing = [
        at(grasp.position, yaw=yaw, gripper="open"),
        at(grasp.position, yaw=yaw, gripper="close", steps=11),
    ]
    world.move(closing, AROUND_BAR)
    before = world.gripper_yaw
    rotating = at(grasp.position, yaw=yaw + sign * TURN_RAD, gripper="close")
    rotating["max_step_rad"] = 0.2
    world.move([rotating], {"position_tolerance_m": 0.03, "rotation_tolerance_rad": 0.1, "max_steps": 80})
    held = world.state.gripper_opening_m > gripper.HELD_OPENING
    return held, wrap_angle(world.gripper_yaw - before)
