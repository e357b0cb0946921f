"""Pixels to points and back, on depth pictures that are computed, and rotations."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from rpent.env.types import CameraMeta
from rpent_manipulation import geometry, rotations


def _depth_of_plane(camera: CameraMeta, height: float) -> np.ndarray:
    """Depth of the horizontal plane z = height, by intersecting each pixel's ray."""
    rows, cols = np.mgrid[0 : camera.height, 0 : camera.width]
    k, pose = camera.intrinsics, camera.world_from_camera
    rays = np.stack([(cols - k[0, 2]) / k[0, 0], (rows - k[1, 2]) / k[1, 1], np.ones(rows.shape)], axis=-1)
    down = rays @ pose[:3, :3].T
    with np.errstate(divide="ignore"):
        depth = (height - pose[2, 3]) / down[..., 2]
    return np.where(depth > 0, depth, np.inf).astype(np.float32)


@pytest.mark.parametrize("eye", [(0.6, 0.1, 0.8), (0.0, 0.0, 0.5), (-0.3, 0.4, 0.2)])
def test_points_of_a_plane_lie_in_it(
    camera: Callable[..., CameraMeta], eye: tuple[float, float, float]
) -> None:
    meta = camera(eye, (0.0, 0.0, 0.02))
    points = geometry.back_project(_depth_of_plane(meta, 0.02), meta)
    assert len(points) > 1000
    assert np.abs(points[:, 2] - 0.02).max() < 1e-4


def test_the_looked_at_point_is_in_the_middle(camera: Callable[..., CameraMeta]) -> None:
    meta = camera((0.6, 0.1, 0.8), (0.05, -0.1, 0.0))
    row, col, depth = geometry.project(np.array([[0.05, -0.1, 0.0]]), meta)[0]
    assert (row, col) == pytest.approx((63.5, 63.5))
    assert depth == pytest.approx(np.linalg.norm([0.55, 0.2, 0.8]))


def test_up_in_the_world_is_up_in_the_picture(camera: Callable[..., CameraMeta]) -> None:
    meta = camera((0.6, 0.0, 0.5), (0.0, 0.0, 0.1))
    low, high = geometry.project(np.array([[0, 0, 0.0], [0, 0, 0.2]]), meta)
    assert high[0] < low[0]


def test_back_projection_inverts_projection(camera: Callable[..., CameraMeta]) -> None:
    meta = camera((0.6, 0.1, 0.8), (0.0, 0.0, 0.0))
    points = np.random.default_rng(0).uniform(-0.1, 0.1, (50, 3))
    rows, cols, depths = geometry.project(points, meta).T
    assert geometry.pixel_points(rows, cols, depths, meta) == pytest.approx(points)


def test_pixels_without_depth_are_left_out(camera: Callable[..., CameraMeta]) -> None:
    meta = camera((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), size=4)
    depth = np.full((4, 4), 1.0, np.float32)
    depth[0] = [0.0, np.nan, np.inf, -1.0]
    mask = np.zeros((4, 4), bool)
    mask[:2] = True
    assert len(geometry.back_project(depth, meta, mask)) == 4


def test_quaternions_and_matrices_agree() -> None:
    for quaternion in np.random.default_rng(1).normal(size=(100, 4)):
        unit = quaternion / np.linalg.norm(quaternion)
        again = rotations.to_quaternion(rotations.from_quaternion(quaternion))
        assert abs(float(unit @ again)) == pytest.approx(1.0)


def test_a_quarter_turn() -> None:
    half = math.sqrt(0.5)
    assert rotations.from_quaternion(np.array([0, 0, half, half])) @ [1, 0, 0] == pytest.approx([0, 1, 0])


@pytest.mark.parametrize(
    ("yaw", "near", "expected"), [(3.0, 0.0, 3.0 - math.pi), (1.6, 0.2, 1.6), (-1.5, 1.5, math.pi - 1.5)]
)
def test_a_grasp_turned_by_pi_is_the_same(yaw: float, near: float, expected: float) -> None:
    assert geometry.nearest_yaw(yaw, near) == pytest.approx(expected)


def test_fingers_close_along_y_at_yaw_zero() -> None:
    assert geometry.closing(0.0) == pytest.approx([0.0, 1.0])
    assert geometry.closing(math.pi / 2) == pytest.approx([-1.0, 0.0])
