"""The Panda arm's forward kinematics and reach, from Franka's Denavit-Hartenberg parameters (metres, radians)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Craig's convention: a, d, alpha of each joint. https://frankaemika.github.io/docs/control_parameters.html
_DH = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
)
_HAND = 0.107 + 0.097
"""From the last joint's frame along the approach axis: flange, then robosuite's grasp point."""

SHOULDER_HEIGHT = 0.333
WRIST_ABOVE = _HAND
"""The wrist's centre above the grasp point when the hand points down; it lies `WRIST_INWARD` nearer to the base."""
WRIST_INWARD = 0.088
LONGEST = 0.70
"""Shoulder to wrist: 0.719 m when the elbow is straight, where the arm gets stuck."""


def grasp_point(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the grasp point (3,) in the base frame for 7 joint angles."""
    pose = np.eye(4)
    for (a, d, alpha), angle in zip(_DH, joints, strict=True):
        ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        pose = pose @ np.array(
            [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -d * sa], [st * sa, ct * sa, ca, d * ca], [0, 0, 0, 1]]
        )
    return np.asarray((pose @ np.array([0.0, 0.0, _HAND, 1.0]))[:3])


def base_position(eef: NDArray[np.float64], joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the base (3,) stands in the world, given the grasp point; the base looks along +x."""
    return np.asarray(eef - grasp_point(joints))


def highest(position: NDArray[np.float64], base: NDArray[np.float64]) -> float:
    """Return how high the grasp point may be above a place (2,) with the hand pointing down."""
    out = float(np.linalg.norm(position[:2] - base[:2])) - WRIST_INWARD
    rise = np.sqrt(max(LONGEST**2 - out**2, 0.0))
    return float(base[2] + SHOULDER_HEIGHT - WRIST_ABOVE + rise)
