"""Fronts with handles, seen from the side as a camera before the robot sees a cabinet on a table."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.planning.fronts import find_front, reach_in

Points = NDArray[np.float64]


def _front(yaw: float, box_surface: Callable[..., Points]) -> Points:
    panel = box_surface((0, 0), (0.2, 0.004, 0.07))
    bar = box_surface((0, 0.024), (0.1, 0.016, 0.016), z=0.027)
    c, s = math.cos(yaw), math.sin(yaw)
    return np.concatenate([panel[panel[:, 1] > 0.0015], bar[::6]]) @ np.array(
        [[c, s, 0], [-s, c, 0], [0, 0, 1]]
    )


@pytest.mark.parametrize("yaw", [0.0, 0.4, -0.5])
def test_the_normal_and_the_bar(yaw: float, box_surface: Callable[..., Points]) -> None:
    front = find_front(_front(yaw, box_surface), eye=np.array([0.3, 0.8, 0.5]))
    assert front is not None
    normal = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
    assert float(front.normal @ normal) > math.cos(math.radians(4))
    assert front.handle == pytest.approx([*(0.024 * normal[:2]), 0.035], abs=5e-3)
    assert not front.upright


def test_a_plain_front_has_no_handle(box_surface: Callable[..., Points]) -> None:
    assert find_front(box_surface((0, 0), (0.2, 0.004, 0.07)), eye=np.array([0.0, 1.0, 0.3])) is None


def test_the_hand_comes_from_the_front_and_closes_across_the_bar(box_surface: Callable[..., Points]) -> None:
    front = find_front(_front(0.0, box_surface), eye=np.array([0.3, 0.8, 0.5]))
    assert front is not None
    rotation = reach_in(front, np.diag([1.0, -1.0, -1.0]))
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert float(rotation[:, 2] @ front.normal) < -0.95
    assert abs(rotation[2, 1]) > 0.95
