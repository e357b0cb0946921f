"""Surfaces as a depth camera would see them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent.env.types import CameraMeta

Points = NDArray[np.float64]


def _camera(
    eye: tuple[float, float, float], target: tuple[float, float, float], size: int = 128
) -> CameraMeta:
    forward = np.subtract(target, eye)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right = np.array([0.0, -1.0, 0.0]) if np.linalg.norm(right) < 1e-6 else right / np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = eye
    focal = size / 2 / np.tan(np.radians(45) / 2)
    intrinsics = np.array([[focal, 0, size / 2 - 0.5], [0, focal, size / 2 - 0.5], [0, 0, 1.0]])
    return CameraMeta(name="test", width=size, height=size, intrinsics=intrinsics, world_from_camera=pose)


@pytest.fixture
def camera() -> Callable[..., CameraMeta]:
    """Make a pinhole camera from where it is and what it looks at."""
    return _camera


@pytest.fixture
def box_surface() -> Callable[..., Points]:
    """Sample the upper and side faces of an upright box, turned about the vertical axis."""

    def make(
        middle: tuple[float, float], size: tuple[float, float, float], yaw: float = 0.0, z: float = 0.0
    ) -> Points:
        u, v = np.meshgrid(np.linspace(-0.5, 0.5, 40), np.linspace(-0.5, 0.5, 40))
        u, v = u.ravel(), v.ravel()
        faces = [np.stack([u * size[0], v * size[1], np.full_like(u, size[2])], axis=1)]
        for side in (-0.5, 0.5):
            faces.append(
                np.stack([np.full_like(u, side * size[0]), u * size[1], (v + 0.5) * size[2]], axis=1)
            )
            faces.append(
                np.stack([u * size[0], np.full_like(u, side * size[1]), (v + 0.5) * size[2]], axis=1)
            )
        points = np.concatenate(faces)
        c, s = np.cos(yaw), np.sin(yaw)
        points = points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        return points + np.array([*middle, z])

    return make


@pytest.fixture
def bowl_surface() -> Callable[..., Points]:
    """Sample a bowl: a floor of 3 cm radius, and a wall that widens up to the rim."""

    def make(
        middle: tuple[float, float],
        radius: float = 0.055,
        height: float = 0.05,
        z: float = 0.0,
        tilt: float = 0.0,
    ) -> Points:
        angle, share = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(0, 1, 30))
        angle, share = angle.ravel(), share.ravel()
        wall_radius = 0.03 + (radius - 0.03) * share
        wall = np.stack([wall_radius * np.cos(angle), wall_radius * np.sin(angle), height * share], axis=1)
        floor = np.stack(
            [0.03 * share * np.cos(angle), 0.03 * share * np.sin(angle), 0.004 + 0 * share], axis=1
        )
        points = np.concatenate([wall, floor])
        c, s = np.cos(tilt), np.sin(tilt)
        points = points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        return points + np.array([*middle, z])

    return make


@pytest.fixture
def table() -> Points:
    """A table top at height 0."""
    x, y = np.meshgrid(np.linspace(-0.4, 0.4, 160), np.linspace(-0.4, 0.4, 160))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
