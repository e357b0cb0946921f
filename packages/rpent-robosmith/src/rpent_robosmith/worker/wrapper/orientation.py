"""Quaternions in the other forms that policies take."""

from __future__ import annotations

from typing import Any

import numpy as np


def _unit(quaternion: Any) -> Any:
    return quaternion / np.linalg.norm(quaternion)


def _matrix(quaternion: Any) -> Any:
    x, y, z, w = _unit(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _axis_angle(quaternion: Any) -> Any:
    x, y, z, w = _unit(quaternion)
    sine = float(np.sqrt(max(0.0, 1.0 - w * w)))
    if sine < 1e-9:
        return np.zeros(3)
    return np.array([x, y, z]) * (2.0 * np.arccos(np.clip(w, -1.0, 1.0)) / sine)


def _euler_xyz(quaternion: Any) -> Any:
    m = _matrix(quaternion)
    return np.array(
        [np.arctan2(m[2, 1], m[2, 2]), np.arcsin(np.clip(-m[2, 0], -1.0, 1.0)), np.arctan2(m[1, 0], m[0, 0])]
    )


CONVERSIONS: dict[str, Any] = {
    "axis_angle": _axis_angle,
    "matrix": lambda quaternion: _matrix(quaternion).reshape(9),
    "rotation_6d": lambda quaternion: _matrix(quaternion)[:, :2].T.reshape(6),
    "euler_xyz": _euler_xyz,
    "wxyz": lambda quaternion: quaternion[[3, 0, 1, 2]],
}
"""What becomes of a quaternion (4,) x y z w; the same formulas as `rpent.policies.orientation`."""
