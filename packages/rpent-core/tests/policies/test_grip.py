"""Whether something is in the hand."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.policies.grip import Grip
from rpent.testing.policies.scripted import observed


def grip_after(*rows, begin=(0.3, 0.08), **changes):
    """Follow one chunk whose control steps have these heights and openings."""
    grip = Grip(observed((0, 0, begin[0]), opening=begin[1]), empty_m=0.003, closed_m=0.06)
    track = np.array([[0, 0, height, opening] for height, opening in rows])
    height, opening = rows[-1]
    grip.follow(observed((0, 0, height), opening=opening, extra={"track": track, **changes}))
    return grip


def test_something_that_was_lifted_is_held():
    grip = grip_after(
        (0.2, 0.08), (0.05, 0.08), (0.05, 0.05), (0.05, 0.02), (0.06, 0.02), (0.08, 0.02), (0.12, 0.02)
    )
    assert grip.holds(0.05)
    assert grip.lifted_m == pytest.approx(0.07)
    assert not grip.holds(0.08)
    assert "rose by only 0.070 m" in grip.why_not()


def test_the_lift_counts_from_the_lowest_place_since_the_fingers_closed():
    assert grip_after((0.2, 0.04), (0.05, 0.02), (0.1, 0.02), (0.1, 0.02)).lifted_m == pytest.approx(0.05)
    reopened = grip_after((0.05, 0.02), (0.1, 0.08), (0.2, 0.02), (0.22, 0.02), (0.22, 0.02))
    assert reopened.lifted_m == pytest.approx(0.02)


def test_an_empty_closed_hand_is_no_grasp():
    grip = grip_after((0.05, 0.0025), (0.2, 0.0025), (0.2, 0.0025))
    assert not grip.holds(0.05)
    assert grip.why_not() == "the fingers closed on nothing"


def test_open_fingers_hold_nothing():
    grip = grip_after((0.05, 0.07), (0.2, 0.07), (0.2, 0.07))
    assert not grip.holds(0.05)
    assert grip.lifted_m == 0
    assert grip.why_not() == "the fingers are open"


def test_fingers_on_the_move_or_told_to_open_hold_nothing():
    assert not grip_after((0.05, 0.05), (0.1, 0.04), (0.2, 0.03)).holds(0.05)
    assert not grip_after((0.05, 0.02), *[(0.2, 0.02)] * 4, gripper_command=-1.0).holds(0.05)
    assert not grip_after((0.05, 0.04), (0.1, 0.03), (0.2, 0.02), (0.2, 0.02)).holds(0.05)


def test_without_a_track_fingers_that_move_between_the_ends_of_chunks_hold_nothing_yet():
    grip = Grip(observed((0, 0, 0.3)), empty_m=0.003, closed_m=0.06)
    for height, opening in ((0.05, 0.08), (0.05, 0.04), (0.12, 0.02)):
        grip.follow(observed((0, 0, height), opening=opening))
    assert not grip.holds(0.05)
    grip.follow(observed((0, 0, 0.13), opening=0.02))
    assert grip.holds(0.05)
