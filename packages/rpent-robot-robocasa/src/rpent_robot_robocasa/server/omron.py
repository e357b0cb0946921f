"""PandaOmron as the benchmark's 12 actions drive it: from metres and radians to action components, and measured facts.

The base (`omron_mobile_base.xml`): three velocity actuators (forward and left 1 m/s per unit, turn 1.5 rad/s per unit),
and dry friction of 250 N (250 Nm) in each joint, which a velocity error of 0.25 m/s (0.167 rad/s) overcomes. An action
of 1 is therefore 0.75 m/s or 1.33 rad/s (measured: 0.037 m, 0.066 rad per step), and one below 0.25 (turn: 0.11) moves
nothing: a plain proportional control stops short. Speed is reached in 3 steps; after a stop from full speed the base
rolls 0.02 m (0.001 rad) farther. The friction works along the joints, whose axes are those of the base at the reset.
`mobilebase0_base`, link0 and `base_position` are one place (xy); the base turns about a point 0.21 m behind it, and
its box reaches from 0.15 m ahead to 0.55 m behind, 0.25 m to either side.

The arm (OSC_POSE, kp 150, critically damped, goal in the base's frame): a goal 0.05 m ahead of the hand moves it
0.013 m per step. In arm mode (control_mode -1) the goal starts from the hand at every action, so that this is the
fastest, and a hand at rest sinks slowly. In base mode (+1) it starts from the last goal: it stays where it is told to,
rides along with base and torso, and may run ahead of the hand by more than one action: 0.15 m ahead moves the hand
0.035 m per step.

The torso (slide, 0 to 0.34 m): an action of 1 raises it 0.025 m per step, without coasting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation import rotations
from rpent_manipulation.env.episode import POSITION_SCALE_M, ROTATION_SCALE_RAD, Tracking

from rpent_robot_robocasa.base import PIVOT_M, TORSO_RANGE_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

ACTION_DIM = 12
ARM, GRIPPER, BASE, TORSO, MODE = slice(0, 6), 6, slice(7, 10), 10, 11
BASE_MODE = 1.0
"""Component `MODE` of every action here: goals start from the last goal."""

SPEED_PER_UNIT = np.array([1.0, 1.0, 1.5])
"""m/s, m/s, rad/s of the velocity actuators' targets for an action of 1."""
FRICTION = np.array([0.25, 0.25, 0.1667])
"""m/s, m/s, rad/s by which a target must exceed the wanted speed: dry friction over the actuators' gain."""
SMALL = np.array([0.01, 0.01, 0.01])
"""Speeds below these are made up for in part, so that the base does not jerk to and fro about its goal."""

TORSO_SCALE_M = 0.05
"""Displacement of the torso's goal for an action of 1."""
LEAD_M = 0.15
"""How far ahead of the hand the arm's goal may run, metres: what `parse_targets` gets as the fastest `max_step_m`."""
TRACKING = Tracking(gain=3.0, damping=2.0)
"""Measured over six ways of 0.35 m: within 6 mm for good after 13 to 20 steps; 30 to 39 with a goal at most 0.05 m
ahead, 18 to 28 with one 0.15 m ahead and plain tracking, which swings past the target."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OmronDrivetrain:
    """What PandaOmron's base can do; see `rpent_manipulation.env.episode.Drivetrain`."""

    max_speed_m_s: float = 0.75
    max_turn_rad_s: float = 1.33
    pivot_m: float = PIVOT_M
    torso_range_m: tuple[float, float] = TORSO_RANGE_M


def drive_action(
    forward_m_s: float, left_m_s: float, turn_rad_s: float, *, turned_rad: float
) -> NDArray[np.float64]:
    """Return action components (3,) `BASE` for speeds of the base.

    Args:
        forward_m_s: Of the point that it turns about, ahead in the base's own frame.
        left_m_s: Likewise to its left.
        turn_rad_s: Counter-clockwise.
        turned_rad: How far the base has turned since the reset: friction works along the axes it had then.
    """
    c, s = np.cos(turned_rad), np.sin(turned_rad)
    to_joints = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    speed = to_joints @ np.array([forward_m_s, left_m_s, turn_rad_s])
    wanted = speed + FRICTION * np.clip(speed / SMALL, -1.0, 1.0)
    action = to_joints.T @ (wanted / SPEED_PER_UNIT)
    action[:2] /= max(1.0, float(np.abs(action[:2]).max()))
    return np.asarray(np.clip(action, -1.0, 1.0))


def arm_action(
    controller: Any,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    offset_m: NDArray[np.float64],
    turn_rad: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return action components (6,) `ARM` that set the arm's goal, in base mode.

    Args:
        controller: robosuite's `OperationalSpaceController`, its origin up to date.
        position: (3,) of its site now, world, metres.
        rotation: (3, 3) of its site now, world.
        offset_m: (3,) of the goal from the hand, world, metres.
        turn_rad: (3,) axis-angle of the goal's orientation from the hand's, world; zero keeps the goal's.
    """
    origin = np.asarray(controller.origin_ori)
    goal = origin.T @ (position + offset_m - controller.origin_pos)
    move = (goal - controller.goal_pos) / POSITION_SCALE_M
    spin = np.zeros(3)
    if np.any(turn_rad):
        wanted = origin.T @ rotations.from_rotation_vector(turn_rad) @ rotation
        spin = rotations.rotation_vector(wanted @ controller.goal_ori.T) / ROTATION_SCALE_RAD
    return np.asarray(np.clip(np.concatenate([move, spin]), -1.0, 1.0))


def lift_action(up_m: float) -> float:
    """Return the action component `TORSO` for a displacement of the torso's goal, metres."""
    return float(np.clip(up_m / TORSO_SCALE_M, -1.0, 1.0))
