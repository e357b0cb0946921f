"""The Panda arm's forward kinematics and reach, from Franka's Denavit-Hartenberg parameters (metres, radians)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rpent.errors import ToolError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Observation

# Craig's convention: a, d, alpha of each joint. https://frankaemika.github.io/docs/control_parameters.html
DH = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
)
HAND = 0.107 + 0.097
"""From the last joint's frame along the approach axis: flange, then robosuite's grasp point."""

SHOULDER_HEIGHT = 0.333
WRIST_ABOVE = HAND
"""The wrist's centre above the grasp point when the hand points down; it lies `WRIST_INWARD` nearer to the base."""
WRIST_INWARD = 0.088
LONGEST = 0.71
COMFORTABLE = 0.66
"""Shoulder to wrist on the way; 0.719 m is the straight, singular elbow."""
ELBOW = 3
STRAIGHT = -0.40
"""Radians of the elbow joint: it is straight at -0.467 and has its limit at -0.07. In between it bends the wrong way,
so that drawing the hand back drives it further into its limit."""
_UNBEND_TILT = 0.8
_UNBEND_IN = 0.10


def grasp_point(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the grasp point (3,) in the base frame for 7 joint angles."""
    pose = np.eye(4)
    for (a, d, alpha), angle in zip(DH, joints, strict=True):
        ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        pose = pose @ np.array(
            [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -d * sa], [st * sa, ct * sa, ca, d * ca], [0, 0, 0, 1]]
        )
    return np.asarray((pose @ np.array([0.0, 0.0, HAND, 1.0]))[:3])


def base_position(eef: NDArray[np.float64], joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the base (3,) stands in the world, given the grasp point; the base looks along +x."""
    return np.asarray(eef - grasp_point(joints))


def base_of(state: Observation) -> NDArray[np.float64]:
    """Return where the arm stands (3,), world: what the env server tells, or what follows from a Panda's joints.

    Raises:
        ToolError: Neither is there.
    """
    told = state.extra.get("arm_base_position")
    if told is not None:
        return np.asarray(told, dtype=np.float64)
    if len(state.joint_positions) != len(DH):
        raise ToolError(
            "Where the arm stands is unknown: the env server tells no `arm_base_position`, and "
            f"{len(state.joint_positions)} joints are not a Panda's {len(DH)}.",
            hint="Let `observe` tell `arm_base_position`, (3,) in the world, in `extra`.",
        )
    return base_position(state.eef_position, state.joint_positions)


def highest(position: NDArray[np.float64], base: NDArray[np.float64]) -> float:
    """Return how high the grasp point may be above a place (2,) with the hand pointing down."""
    out = float(np.linalg.norm(position[:2] - base[:2])) - WRIST_INWARD
    rise = np.sqrt(max(LONGEST**2 - out**2, 0.0))
    return float(base[2] + SHOULDER_HEIGHT - WRIST_ABOVE + rise)


def stretch(position: NDArray[np.float64], base: NDArray[np.float64]) -> float:
    """Return by how much shoulder to wrist is longer than comfortable at a grasp point (3,), metres; 0 within."""
    out = float(np.linalg.norm(position[:2] - base[:2])) - WRIST_INWARD
    rise = float(position[2] + WRIST_ABOVE - base[2] - SHOULDER_HEIGHT)
    return max(0.0, float(np.hypot(out, rise)) - COMFORTABLE)


def is_straight(joints: NDArray[np.float64]) -> bool:
    """Whether a Panda's elbow has gone past straight, so that the controller can no longer draw the hand back."""
    return len(joints) == len(DH) and bool(joints[ELBOW] > STRAIGHT)


def unbend(
    eef: NDArray[np.float64], rotation: NDArray[np.float64], base: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a pose that a straight arm can move to: nearer to the base, with the finger tips swung inwards.

    Past the straight elbow the controller's forces no longer bend it back, but a rotation of the hand does.

    Returns:
        Position (3,) and rotation matrix (3, 3).
    """
    outward = eef[:2] - base[:2]
    outward = outward / max(float(np.linalg.norm(outward)), 1e-6)
    axis = np.array([-outward[1], outward[0], 0.0])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(_UNBEND_TILT) * cross + (1 - np.cos(_UNBEND_TILT)) * cross @ cross
    return np.array([*(eef[:2] - _UNBEND_IN * outward), eef[2]]), turn @ rotation
