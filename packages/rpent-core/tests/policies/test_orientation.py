"""Orientations in the forms that policies were trained with."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.policies.orientation import CONVERSIONS, axis_angle, euler_xyz, matrix, rotation_6d, wxyz

QUARTER_ABOUT_Z = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])


def test_a_quarter_turn_about_z_in_every_form():
    np.testing.assert_allclose(axis_angle(QUARTER_ABOUT_Z), [0, 0, np.pi / 2], atol=1e-12)
    np.testing.assert_allclose(matrix(QUARTER_ABOUT_Z), [0, -1, 0, 1, 0, 0, 0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(rotation_6d(QUARTER_ABOUT_Z), [0, 1, 0, -1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(euler_xyz(QUARTER_ABOUT_Z), [0, 0, np.pi / 2], atol=1e-12)
    np.testing.assert_allclose(wxyz(QUARTER_ABOUT_Z), [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-12)


def test_the_sign_of_a_quaternion_is_kept_in_axis_angle():
    """-q is the same rotation, written with an angle beyond π: the datasets tell them apart."""
    np.testing.assert_allclose(axis_angle(-QUARTER_ABOUT_Z), [0, 0, -1.5 * np.pi], atol=1e-12)
    np.testing.assert_allclose(matrix(-QUARTER_ABOUT_Z), matrix(QUARTER_ABOUT_Z), atol=1e-12)


@pytest.mark.parametrize("quaternion", [[0, 0, 0, 1.0], [0, 0, 0, -1.0], [0, 0, 0, 2.0]])
def test_no_rotation_is_zero(quaternion):
    np.testing.assert_array_equal(axis_angle(np.array(quaternion)), np.zeros(3))


def test_euler_angles_compose_to_the_matrix():
    quaternion = np.random.default_rng(1).normal(size=4)
    roll, pitch, yaw = euler_xyz(quaternion)
    x = np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]])
    y = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    z = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    np.testing.assert_allclose((z @ y @ x).reshape(9), matrix(quaternion), atol=1e-12)


@pytest.mark.parametrize("name", CONVERSIONS)
def test_the_lengths_are_as_declared(name):
    length, convert = CONVERSIONS[name]
    assert convert(np.array([0.1, 0.2, 0.3, 0.9])).shape == (length,)
