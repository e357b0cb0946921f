"""Yaw, pitch, quaternions and axis-angle of the end effector.

At rest the hand points straight down: R = diag(1, -1, -1) (columns: hand x, y, z in the world; z is the
approach axis, the fingers close along y). Any hand orientation without roll is R = Rz(yaw) · Rx(pitch) ·
diag(1, -1, -1):

- `yaw`: about the world's vertical axis, counter-clockwise seen from above; atan2(R10, R00). At yaw 0 the
  fingers close along the world's y axis, at ±pi/2 along x. A parallel gripper is the same at yaw and yaw +
  pi.
- `pitch`: tilt of the approach axis about the hand's own x axis; 0 is straight down, and positive turns the
  approach axis towards +y of the yawed frame: approach = Rz(yaw) · (0, sin pitch, -cos pitch).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DOWN = np.diag([1.0, -1.0, -1.0])


def from_yaw_pitch(yaw: float, pitch: float) -> NDArray[np.float64]:
    """Return the (3, 3) hand orientation for a yaw and a pitch, radians."""
    cos_yaw, sin_yaw, cos_pitch, sin_pitch = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    about_z = np.array([[cos_yaw, -sin_yaw, 0], [sin_yaw, cos_yaw, 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, cos_pitch, -sin_pitch], [0, sin_pitch, cos_pitch]])
    return np.asarray(about_z @ about_x @ _DOWN)


def from_yaw(yaw: float) -> NDArray[np.float64]:
    """Return the (3, 3) rotation about the vertical axis, radians."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Return the (3, 3) rotation about a unit vector (3,), radians (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def yaw_pitch(rotation: NDArray[np.float64]) -> tuple[float, float]:
    """Return the yaw and pitch of a (3, 3) hand orientation, radians."""
    yaw = float(np.arctan2(rotation[1, 0], rotation[0, 0]))
    approach = rotation[:, 2]
    sideways = -np.sin(yaw) * approach[0] + np.cos(yaw) * approach[1]
    return yaw, float(np.arctan2(sideways, -approach[2]))


def from_quaternion(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) matrix of a quaternion x y z w of any non-zero length."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def to_quaternion(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit quaternion x y z w, w >= 0, of a (3, 3) matrix (Shepperd's method)."""
    m = rotation
    squares = np.array(
        [
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
            1 + m[0, 0] + m[1, 1] + m[2, 2],
        ]
    )
    products = np.array(
        [
            [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )
    quaternion = products[int(np.argmax(squares))]
    quaternion = quaternion / np.linalg.norm(quaternion)
    return np.asarray(-quaternion if quaternion[3] < 0 else quaternion)


def rotation_vector(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3,) axis times angle of a (3, 3) matrix, angle in [0, pi]."""
    x, y, z, w = to_quaternion(rotation)
    axis = np.array([x, y, z])
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return 2 * axis
    return np.asarray(axis / length * 2 * np.arctan2(length, w))


def from_rotation_vector(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) matrix of an axis times angle (3,), radians (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
