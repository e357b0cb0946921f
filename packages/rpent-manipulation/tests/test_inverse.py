"""Which poses of the hand the arm can take."""

from __future__ import annotations

import numpy as np
import pytest
from rpent_manipulation.panda import kinematics
from rpent_manipulation.panda.inverse import HIGH, LOW, REST, hand_pose, solve
from rpent_manipulation.planning.controls import pointing

SIDEWAYS = np.array([0.0, 1.0, 0.0])


def test_the_hand_is_where_the_forward_kinematics_put_it() -> None:
    joints = np.array([0.3, -0.8, 0.2, -2.1, -0.3, 1.7, 0.4])
    position, rotation = hand_pose(joints)
    assert position == pytest.approx(kinematics.grasp_point(joints))
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_a_pose_of_the_arm_is_found_again_from_other_joints() -> None:
    joints = np.array([0.2, -0.3, 0.1, -1.9, 0.1, 1.8, 0.6])
    position, rotation = hand_pose(joints)
    found = solve(position, rotation, REST)
    assert found.reached
    assert hand_pose(found.joints)[0] == pytest.approx(position, abs=0.01)
    assert np.all((found.joints >= LOW) & (found.joints <= HIGH))


def test_the_hand_cannot_come_in_level_low_before_the_robot() -> None:
    low = np.array([0.6, 0.0, 0.15])
    assert not solve(low, pointing(np.array([1.0, 0.0, -0.2]), SIDEWAYS), REST).reached
    assert solve(low, pointing(np.array([1.0, 0.0, -1.5]), SIDEWAYS), REST).reached


def test_what_is_too_far_away_is_not_reached() -> None:
    assert (
        solve(np.array([1.2, 0.0, 0.5]), pointing(np.array([1.0, 0.0, 0.0]), SIDEWAYS), REST).position_error_m
        > 0.2
    )
