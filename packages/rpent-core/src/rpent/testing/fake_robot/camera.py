"""The fake robot's cameras, pinholes that look straight down: `top` over the table, `wrist` on the hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.testing.fake_robot.tasks import COLORS
from rpent.testing.fake_robot.world import CUBE, PAD, PAD_HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.testing.fake_robot.world import World

NAME, WRIST = "top", "wrist"
NAMES = (NAME, WRIST)
HEIGHT = 1.0
FIELD = 0.9
"""Width of the table that `top` sees, metres."""
ABOVE_HAND = 0.25
"""How far `wrist` is above the grasp point, metres."""
NEAREST = 0.01
"""Nothing nearer is seen, metres."""

# OpenCV axes: x right is world +x, y down is world -y, z forward is world -z.
_ROTATION = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True, slots=True)
class View:
    """Where a camera is, and how it sees."""

    position: NDArray[np.float64]
    """(3,) world, metres."""
    focal: float
    """Focal length in widths of the picture."""


def view(world: World, name: str) -> View:
    """Return where a camera is now."""
    if name == WRIST:
        return View(world.position + np.array([0, 0, ABOVE_HAND]), 0.8)
    return View(np.array([0, 0, HEIGHT]), HEIGHT / FIELD)


def camera_meta(world: World, name: str, size: int) -> dict[str, Any]:
    """Return the calibration as plain data."""
    seen_from = view(world, name)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = _ROTATION, seen_from.position
    focal, center = size * seen_from.focal, (size - 1) / 2
    intrinsics = np.array([[focal, 0, center], [0, focal, center], [0, 0, 1.0]])
    return {"name": name, "width": size, "height": size, "intrinsics": intrinsics, "world_from_camera": pose}


def render(world: World, name: str, size: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return the picture, (size, size, 3) uint8, and the depth, (size, size) float32 metres."""
    seen_from = view(world, name)
    picture = np.full((size, size, 3), 190, np.uint8)
    picture[::8] = 175
    depth = np.full((size, size), seen_from.position[2], np.float32)
    canvas = _Canvas(picture, depth, seen_from)
    canvas.box(PAD, PAD_HALF, color=(150, 220, 150), top=0.0)
    for color, at in sorted(world.cubes.items(), key=lambda item: float(item[1][2])):
        canvas.box(at, CUBE / 2, color=COLORS[color], top=float(at[2]) + CUBE / 2)
    hand = world.position + np.array([0, 0, 0.03])
    for side in (-1, 1):
        finger = hand + np.array([side * (world.opening / 2 + 0.006), 0, 0])
        canvas.box(finger, 0.006, color=(30, 30, 30), top=float(hand[2]))
    return picture, depth


@dataclass(frozen=True, slots=True)
class _Canvas:
    picture: NDArray[np.uint8]
    depth: NDArray[np.float32]
    view: View

    def box(
        self, center: NDArray[np.float64], half: float, *, color: tuple[int, int, int], top: float
    ) -> None:
        """Paint the upper side of a box."""
        size, distance = self.picture.shape[0], float(self.view.position[2]) - top
        if distance < NEAREST:
            return
        scale, middle = size * self.view.focal / distance, (size - 1) / 2
        x, y = center[:2] - self.view.position[:2]
        column, row = middle + x * scale, middle - y * scale
        rows = slice(max(0, round(row - half * scale)), max(0, round(row + half * scale) + 1))
        columns = slice(max(0, round(column - half * scale)), max(0, round(column + half * scale) + 1))
        self.picture[rows, columns] = color
        self.depth[rows, columns] = distance
