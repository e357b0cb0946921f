"""Camera and plane geometry: pixels to world points and back, horizontal angles.

Frames: world is z up, metres; the camera frame is OpenCV's (x right, y down, z forward); pixels are [row, col].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from rpent.env.types import CameraMeta


def back_project(
    depth: NDArray[np.float32], camera: CameraMeta, mask: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return the world points of the pixels in `mask` (all when None).

    Args:
        depth: (H, W) float32, metres along the camera's z axis.
        camera: Calibration of the same size.
        mask: (H, W) bool.

    Returns:
        (n, 3) world points in row-major pixel order; pixels without a finite, positive depth are left out.
    """
    valid = np.isfinite(depth) & (depth > 0)
    rows, cols = np.nonzero(valid if mask is None else valid & mask)
    return pixel_points(rows, cols, depth[rows, cols], camera)


def pixel_points(
    rows: ArrayLike, cols: ArrayLike, depths: ArrayLike, camera: CameraMeta
) -> NDArray[np.float64]:
    """Return the (..., 3) world points of pixels with known depths (pixel centres at integer coordinates)."""
    z = np.asarray(depths, dtype=np.float64)
    k = camera.intrinsics
    x = (np.asarray(cols, dtype=np.float64) - k[0, 2]) / k[0, 0] * z
    y = (np.asarray(rows, dtype=np.float64) - k[1, 2]) / k[1, 1] * z
    local = np.stack([x, y, z], axis=-1)
    return local @ camera.world_from_camera[:3, :3].T + camera.world_from_camera[:3, 3]


def project(points: NDArray[np.float64], camera: CameraMeta) -> NDArray[np.float64]:
    """Return (n, 3) rows of [row, col, depth] of world points in the picture."""
    rotation, origin = camera.world_from_camera[:3, :3], camera.world_from_camera[:3, 3]
    local = (points - origin) @ rotation
    z = local[:, 2]
    safe = np.where(np.abs(z) < 1e-9, 1e-9, z)
    k = camera.intrinsics
    cols = local[:, 0] / safe * k[0, 0] + k[0, 2]
    rows = local[:, 1] / safe * k[1, 1] + k[1, 2]
    return np.stack([rows, cols, z], axis=-1)


def wrap_angle(angle_rad: float) -> float:
    """Return the angle in [-pi, pi)."""
    return (angle_rad + math.pi) % (2 * math.pi) - math.pi


def nearest_yaw(yaw_rad: float, reference_rad: float) -> float:
    """Return the yaw nearest to the reference among those that are the same grasp (a two-finger hand turns by pi)."""
    difference = (yaw_rad - reference_rad + math.pi / 2) % math.pi - math.pi / 2
    return reference_rad + difference


def direction(yaw_rad: float) -> NDArray[np.float64]:
    """Return the horizontal unit vector (2,) at this angle from the world's x axis."""
    return np.array([math.cos(yaw_rad), math.sin(yaw_rad)])


def closing(yaw_rad: float) -> NDArray[np.float64]:
    """Return the horizontal unit vector (2,) along which the fingers close at a yaw: the world's y axis at yaw 0."""
    return direction(yaw_rad + math.pi / 2)


def turn(vector: NDArray[np.float64], angle_rad: float) -> NDArray[np.float64]:
    """Rotate a horizontal vector (2,) about the vertical axis."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
