from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent_manipulation import rotations

ANGLE = st.floats(-3.1, 3.1)
TILT = st.floats(-1.5, 1.5)


@given(yaw=ANGLE, pitch=TILT)
def test_yaw_and_pitch_come_back(yaw, pitch):
    assert rotations.yaw_pitch(rotations.from_yaw_pitch(yaw, pitch)) == pytest.approx((yaw, pitch), abs=1e-9)


@given(yaw=ANGLE, pitch=ANGLE)
def test_quaternion_comes_back(yaw, pitch):
    rotation = rotations.from_yaw_pitch(yaw, pitch)
    again = rotations.from_quaternion(rotations.to_quaternion(rotation))
    np.testing.assert_allclose(again, rotation, atol=1e-9)


def test_rest_pose_points_down_and_closes_along_y():
    rotation = rotations.from_yaw_pitch(0.0, 0.0)
    np.testing.assert_allclose(rotation[:, 2], [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(np.abs(rotation[:, 1]), [0, 1, 0], atol=1e-12)


def test_pitch_turns_the_approach_axis_towards_y_of_the_yawed_frame():
    np.testing.assert_allclose(rotations.from_yaw_pitch(0.0, 0.5)[:, 2], [0, np.sin(0.5), -np.cos(0.5)])
    quarter = rotations.from_yaw_pitch(np.pi / 2, 0.5)[:, 2]
    np.testing.assert_allclose(quarter, [-np.sin(0.5), 0, -np.cos(0.5)], atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, np.pi - 1e-9, np.pi])
def test_rotation_vector_has_the_angle_as_length(angle):
    about_z = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    vector = rotations.rotation_vector(about_z)
    assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-7)
    assert abs(vector[2]) == pytest.approx(angle, abs=1e-7)
