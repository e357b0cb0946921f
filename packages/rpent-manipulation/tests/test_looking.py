"""What a door, knob or lever did is what is seen of it afterwards, whatever the hand did."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rpent_manipulation import rotations
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.hinges import Leaf, about
from rpent_manipulation.primitives.knob import Knob, grip_turned
from rpent_manipulation.primitives.looking import unlike_door
from rpent_manipulation.primitives.press import PressResult, judged

OUT = np.array([0.0, -1.0, 0.0])
LEAF = Leaf(
    hinge=np.array([0.2, 1.0, 0.9]), axis=UP, arm=np.array([-0.4, 0.0, 0.0]), outside=OUT, kind="side"
)
MIDDLE = LEAF.place(0.5, 0.0)


@pytest.mark.parametrize("angle", [0.0, 0.6, 1.6, 2.2])
def test_a_door_that_swung_is_known_again_and_its_angle_is_read(angle: float) -> None:
    now = LEAF.place(0.5, angle)
    assert unlike_door(LEAF, MIDDLE, now) == pytest.approx(0.0, abs=1e-6)
    assert about(LEAF, MIDDLE, now) == pytest.approx(angle)


def test_a_door_that_was_shut_is_known_again() -> None:
    opened = LEAF.place(0.5, 1.5)
    assert unlike_door(LEAF, opened, MIDDLE, 1.5) == pytest.approx(0.0, abs=1e-6)
    assert about(LEAF, opened, MIDDLE) == pytest.approx(-1.5)


@pytest.mark.parametrize(
    "other",
    [
        LEAF.place(1.5, 0.0),  # the other leaf of double doors
        LEAF.place(-0.5, 0.0),  # the neighbour that hangs on the same side wall
        LEAF.place(0.5, 0.3) + 0.5 * UP,  # the door above
    ],
)
def test_another_door_is_not_taken_for_it(other: np.ndarray) -> None:
    assert unlike_door(LEAF, MIDDLE, other) >= 1.0


@pytest.mark.parametrize("angle", [-1.2, -0.4, 0.0, 0.7, 1.3])
def test_a_knobs_turn_is_read_from_its_grip_whichever_end_is_called_first(angle: float) -> None:
    grip = np.array([0.0, 0.0, 1.0])
    before = Knob(middle=np.zeros(3), axis=OUT, grip=grip)
    turned = rotations.about(OUT, angle) @ grip
    for end in (turned, -turned):
        assert grip_turned(before, Knob(middle=np.zeros(3), axis=OUT, grip=end)) == pytest.approx(angle)


def test_a_round_knobs_turn_is_not_seen() -> None:
    round_one = Knob(middle=np.zeros(3), axis=OUT, grip=None)
    assert grip_turned(round_one, round_one) is None


def pressed(gave_m: float | None) -> PressResult:
    return judged(PressResult(ok=True, touched=True, pressed_m=math.pi / 100), gave_m)


def test_a_lever_that_was_only_touched_is_not_pressed() -> None:
    touched = pressed(0.002)
    assert (touched.ok, touched.seen, touched.pressed_m) == (False, True, 0.002)
    assert "0.002 m only" in touched.reason


def test_a_lever_that_went_down_is_pressed_even_when_no_force_was_felt() -> None:
    lightly = judged(PressResult(ok=False, touched=False, pressed_m=0.0, reason="nothing met them"), 0.04)
    assert (lightly.ok, lightly.touched, lightly.pressed_m, lightly.reason) == (True, True, 0.04, "")


def test_a_lever_that_is_out_of_sight_is_not_claimed() -> None:
    unseen = pressed(None)
    assert (unseen.ok, unseen.seen) == (False, False)
    assert "out of sight" in unseen.reason
