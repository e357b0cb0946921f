"""The fake robot's camera: a pinhole one metre above the table, looking straight down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.testing.fake_robot.world import COLORS, CUBE, PAD, PAD_HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.testing.fake_robot.world import World

NAME = "top"
HEIGHT = 1.0
FIELD = 0.9
"""Width of the table that is seen, metres."""

# OpenCV axes: x right is world +x, y down is world -y, z forward is world -z.
_ROTATION = np.diag([1.0, -1.0, -1.0])


def camera_meta(size: int) -> dict[str, Any]:
    """Return the calibration as plain data."""
    pose = np.eye(4)
    pose[:3, :3], pose[2, 3] = _ROTATION, HEIGHT
    focal = size * HEIGHT / FIELD
    center = (size - 1) / 2
    intrinsics = np.array([[focal, 0, center], [0, focal, center], [0, 0, 1.0]])
    return {"name": NAME, "width": size, "height": size, "intrinsics": intrinsics, "world_from_camera": pose}


def render(world: World, size: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return the picture, (size, size, 3) uint8, and the depth, (size, size) float32 metres."""
    picture = np.full((size, size, 3), 190, np.uint8)
    picture[::8] = 175
    depth = np.full((size, size), HEIGHT, np.float32)
    _box(picture, depth, PAD, PAD_HALF, color=(150, 220, 150), top=0.0)
    for color, at in sorted(world.cubes.items(), key=lambda item: float(item[1][2])):
        _box(picture, depth, at, CUBE / 2, color=COLORS[color], top=float(at[2]) + CUBE / 2)
    hand = world.position + np.array([0, 0, 0.03])
    for side in (-1, 1):
        finger = hand + np.array([side * (world.opening / 2 + 0.006), 0, 0])
        _box(picture, depth, finger, 0.006, color=(30, 30, 30), top=float(hand[2]))
    return picture, depth


def _box(
    picture: NDArray[np.uint8],
    depth: NDArray[np.float32],
    center: NDArray[np.float64],
    half: float,
    *,
    color: tuple[int, int, int],
    top: float,
) -> None:
    size = picture.shape[0]
    distance = HEIGHT - top
    scale = size * HEIGHT / FIELD / distance
    middle = (size - 1) / 2
    column, row = middle + center[0] * scale, middle - center[1] * scale
    rows = slice(max(0, round(row - half * scale)), max(0, round(row + half * scale) + 1))
    columns = slice(max(0, round(column - half * scale)), max(0, round(column + half * scale) + 1))
    picture[rows, columns] = color
    depth[rows, columns] = distance
