"""Spouts and knobs as they are seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.primitives.knob import find_knob
from rpent_manipulation.primitives.swing import find_arm

Points = NDArray[np.float64]
OUT = np.array([0.0, -1.0, 0.0])


def test_a_spout_turns_about_its_pipe(box_surface: Callable[..., Points]) -> None:
    pipe, arm = (
        box_surface((0.3, 0.2), (0.02, 0.02, 0.3), z=0.9),
        box_surface((0.3, 0.1), (0.02, 0.2, 0.02), z=1.2),
    )
    found = find_arm(np.concatenate([pipe, arm]))
    assert found is not None
    assert found.pivot == pytest.approx([0.3, 0.2], abs=0.01)
    assert found.end[:2] == pytest.approx([0.3, 0.0], abs=0.02)


def test_a_short_handle_does_not(box_surface: Callable[..., Points]) -> None:
    assert find_arm(box_surface((0.3, 0.2), (0.02, 0.02, 0.12), z=0.9)) is None


def test_the_grip_of_a_knob(box_surface: Callable[..., Points]) -> None:
    disc = box_surface((0.0, 0.0), (0.044, 0.03, 0.044), z=0.8)
    bar = box_surface((0.0, -0.025), (0.012, 0.02, 0.04), z=0.802)
    knob = find_knob(np.concatenate([disc, bar]), OUT)
    assert knob.middle == pytest.approx([0.0, -0.035, 0.822], abs=5e-3)
    assert knob.grip is not None
    assert abs(knob.grip[2]) > 0.98


def test_a_round_knob_has_none(box_surface: Callable[..., Points]) -> None:
    knob = find_knob(box_surface((0.0, 0.0), (0.04, 0.03, 0.04), z=0.8), OUT)
    assert knob.grip is None
