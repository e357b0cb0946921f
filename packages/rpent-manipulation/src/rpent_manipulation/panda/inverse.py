"""Whether the Panda can take a pose of the hand: inverse kinematics by damped least squares within the joint limits.

The steps follow the direct way from the joints it starts with, as the arm's own controller does, so that a pose which
this does not find is one that the controller does not reach either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.panda.kinematics import DH, HAND

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW = np.array([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973])
HIGH = np.array([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973])
REST = np.array([0.0, -0.9, 0.0, -2.2, 0.0, 1.6, 0.785])
"""Joint angles that the arm prefers where the pose leaves it a choice."""

MARGIN_RAD = 0.08
"""The controller is not asked to go nearer to a limit than this."""

_DAMPING = 0.05
_STEPS = 80
_STEP_RAD = 0.2
_DRIFT = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Posture:
    """The joint angles nearest to a pose."""

    joints: NDArray[np.float64]
    """(7,) radians."""
    position_error_m: float
    rotation_error_rad: float

    @property
    def reached(self) -> bool:
        """Whether the pose can be taken."""
        return self.position_error_m < 0.01 and self.rotation_error_rad < 0.1


def hand_pose(joints: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the grasp point (3,) and the hand's orientation (3, 3) in the arm's base frame for 7 joint angles."""
    frames = _frames(joints)
    return frames[-1][:3, 3], frames[-1][:3, :3]


def solve(
    position: NDArray[np.float64], rotation: NDArray[np.float64], start: NDArray[np.float64]
) -> Posture:
    """Return the joints for a pose of the hand in the arm's base frame.

    Args:
        position: (3,) of the grasp point.
        rotation: (3, 3) of the hand: z is the approach axis, the fingers close along y.
        start: (7,) joint angles to begin with: the present ones.
    """
    low, high = LOW + MARGIN_RAD, HIGH - MARGIN_RAD
    joints = np.clip(start, low, high)
    for _ in range(_STEPS):
        offset, jacobian = _linearised(joints, position, rotation)
        if np.linalg.norm(offset[:3]) < 0.002 and np.linalg.norm(offset[3:]) < 0.02:
            break
        joints = np.clip(joints + _step(offset, jacobian, joints), low, high)
    offset, _ = _linearised(joints, position, rotation)
    return Posture(
        joints=joints,
        position_error_m=float(np.linalg.norm(offset[:3])),
        rotation_error_rad=float(np.linalg.norm(offset[3:])),
    )


def _step(
    offset: NDArray[np.float64], jacobian: NDArray[np.float64], joints: NDArray[np.float64]
) -> NDArray[np.float64]:
    inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + _DAMPING**2 * np.eye(6))
    step = inverse @ offset + (np.eye(7) - inverse @ jacobian) @ (_DRIFT * (REST - joints))
    largest = float(np.abs(step).max())
    return np.asarray(step if largest <= _STEP_RAD else step * (_STEP_RAD / largest))


def _linearised(
    joints: NDArray[np.float64], position: NDArray[np.float64], rotation: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what is missing to a pose (6,: metres, radians) and the geometric Jacobian (6, 7)."""
    frames = _frames(joints)
    hand = frames[-1]
    missing = np.concatenate([position - hand[:3, 3], rotations.rotation_vector(rotation @ hand[:3, :3].T)])
    axes = np.stack([frame[:3, 2] for frame in frames[:-1]])
    arms = hand[:3, 3] - np.stack([frame[:3, 3] for frame in frames[:-1]])
    return missing, np.concatenate([np.cross(axes, arms).T, axes.T])


def _frames(joints: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the frame (4, 4) of each joint, and last the hand's at the grasp point."""
    pose, frames = np.eye(4), []
    for (a, d, alpha), angle in zip(DH, joints, strict=True):
        ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        pose = pose @ np.array(
            [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -d * sa], [st * sa, ct * sa, ca, d * ca], [0, 0, 0, 1]]
        )
        frames.append(pose)
    half = np.sqrt(0.5)
    # The hand is mounted turned by -45 degrees.
    mount = np.array([[half, half, 0, 0], [-half, half, 0, 0], [0, 0, 1, HAND], [0, 0, 0, 1]])
    frames.append(pose @ mount)
    return frames
