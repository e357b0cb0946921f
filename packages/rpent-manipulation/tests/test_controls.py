"""Which way a control faces, seen from in front and above."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.planning.controls import nearer, outward, pointing

Points = NDArray[np.float64]
EYE = np.array([-0.6, 0.2, 0.5])


def patch(middle: NDArray[np.float64], normal: NDArray[np.float64], width: float, height: float) -> Points:
    """Sample a rectangle that faces along `normal` (horizontal or up)."""
    across = np.cross([0.0, 0.0, 1.0], normal)
    across = np.array([0.0, 1.0, 0.0]) if np.linalg.norm(across) < 0.1 else across / np.linalg.norm(across)
    up = np.cross(normal, across)
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, 25), np.linspace(-0.5, 0.5, 25))
    return middle + np.outer(u.ravel() * width, across) + np.outer(v.ravel() * height, up)


@pytest.mark.parametrize("angle", [0.0, 0.3, -0.4])
def test_a_button_on_a_front_faces_out_of_it(angle: float) -> None:
    normal = np.array([-np.cos(angle), np.sin(angle), 0.0])
    button = patch(0.01 * normal, normal, 0.03, 0.03)
    front = patch(np.zeros(3), normal, 0.3, 0.2)
    assert outward(button, front, EYE) @ normal > np.cos(np.radians(6))


def test_a_knob_on_a_hob_faces_up() -> None:
    up = np.array([0.0, 0.0, 1.0])
    knob, hob = patch(0.02 * up, up, 0.04, 0.04), patch(np.zeros(3), up, 0.3, 0.3)
    assert outward(knob, hob, EYE) @ up > 0.99


def test_a_button_above_a_counter_is_not_pressed_from_above() -> None:
    normal = np.array([-1.0, 0.0, 0.0])
    button = patch(np.array([-0.01, 0.0, 0.03]), normal, 0.03, 0.03)
    counter = patch(np.array([-0.2, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), 0.4, 0.4)
    front = patch(np.array([0.0, 0.0, 0.1]), normal, 0.2, 0.2)
    assert outward(button, np.concatenate([counter, front]), EYE) @ normal > 0.8


def test_the_hand_points_along_its_approach_and_closes_square_to_it() -> None:
    rotation = pointing(np.array([2.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0]))
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert rotation[:, 2] == pytest.approx(np.array([2.0, 0.0, -1.0]) / np.sqrt(5))
    assert rotation[2, 1] > 0.8


def test_of_two_equal_hands_the_nearer_one_is_taken() -> None:
    rotation = pointing(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    other = rotation @ np.diag([-1.0, -1.0, 1.0])
    assert nearer(other, rotation) == pytest.approx(rotation)
    assert nearer(rotation, rotation) == pytest.approx(rotation)
