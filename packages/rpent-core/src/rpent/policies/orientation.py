"""The forms in which policies were given an orientation. Quaternions come as (4,) x y z w, of any non-zero length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


def axis_angle(quaternion: Vector) -> Vector:
    """Return (3,) axis times angle, radians, without choosing between q and -q.

    The angle is 2·acos(w), up to 2π, as robosuite's `quat2axisangle` has it: the datasets of LIBERO hold such values,
    so a quaternion must arrive with the simulator's own sign.
    """
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    sine = float(np.sqrt(max(0.0, 1.0 - w * w)))
    if sine < 1e-9:
        return np.zeros(3)
    angle = float(2.0 * np.arccos(np.clip(w, -1.0, 1.0)))
    return np.array([x, y, z]) * (angle / sine)


def matrix(quaternion: Vector) -> Vector:
    """Return the (9,) rotation matrix, row by row."""
    return _matrix(quaternion).reshape(9)


def rotation_6d(quaternion: Vector) -> Vector:
    """Return (6,): the matrix's first two columns, one after the other (Zhou et al., CVPR 2019)."""
    return _matrix(quaternion)[:, :2].T.reshape(6)


def euler_xyz(quaternion: Vector) -> Vector:
    """Return (3,) roll, pitch, yaw, radians: R = Rz(yaw) · Ry(pitch) · Rx(roll)."""
    m = _matrix(quaternion)
    pitch = np.arcsin(np.clip(-m[2, 0], -1.0, 1.0))
    return np.array([np.arctan2(m[2, 1], m[2, 2]), pitch, np.arctan2(m[1, 0], m[0, 0])])


def wxyz(quaternion: Vector) -> Vector:
    """Return the same quaternion, w first."""
    return quaternion[[3, 0, 1, 2]]


def _matrix(quaternion: Vector) -> Vector:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


CONVERSIONS: dict[str, tuple[int, Callable[[Vector], Vector]]] = {
    "axis_angle": (3, axis_angle),
    "matrix": (9, matrix),
    "rotation_6d": (6, rotation_6d),
    "euler_xyz": (3, euler_xyz),
    "wxyz": (4, wxyz),
}
"""`StatePart.convert` → the length of what comes out, and the function; each takes a quaternion."""
