"""Doors from a picture: what they turn about, which way they open."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation import rotations
from rpent_manipulation.planning.hinges import find_panel, open_leaf, shut_leaf
from rpent_manipulation.primitives.slide import find_grip, front_middle, front_normal

Points = NDArray[np.float64]
EYE = np.array([0.1, -0.9, 1.6])
AHEAD = np.array([0.0, 1.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


def door(
    box_surface: Callable[..., Points], bar: tuple[float, float, float], at: tuple[float, float]
) -> Points:
    """Sample a shut door of 0.4 × 0.6 m in the plane y = 0 whose lower edge is at height 0.8, with a bar before it."""
    panel = box_surface((0.0, 0.01), (0.4, 0.02, 0.6), z=0.8)
    handle = box_surface((at[0], -0.03), bar, z=at[1])
    return np.concatenate([panel[panel[:, 1] < 0.001], handle[handle[:, 1] < -0.02]])


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_door_with_an_upright_bar_turns_about_its_other_edge(
    side: float, box_surface: Callable[..., Points]
) -> None:
    leaf = shut_leaf(find_panel(door(box_surface, (0.02, 0.02, 0.2), (side * 0.16, 1.0)), EYE))
    assert leaf.kind == "side"
    assert leaf.hinge[0] == pytest.approx(-side * 0.2, abs=0.01)
    assert leaf.width_m == pytest.approx(0.4, abs=0.01)
    opened = leaf.place(1.0, math.pi / 2)
    assert opened[:2] == pytest.approx([-side * 0.2, -0.4], abs=0.02)


def test_a_bar_along_the_upper_edge_opens_downwards(box_surface: Callable[..., Points]) -> None:
    leaf = shut_leaf(find_panel(door(box_surface, (0.25, 0.02, 0.02), (0.0, 1.32)), EYE))
    assert leaf.kind == "drop"
    assert leaf.hinge[2] == pytest.approx(0.8, abs=0.01)
    assert leaf.place(1.0, math.pi / 2)[1:] == pytest.approx([-0.6, 0.8], abs=0.02)


@pytest.mark.parametrize(("hinge", "angle"), [(-0.2, 1.5), (0.2, 1.5), (0.2, 1.2)])
def test_an_open_door_shuts_towards_the_cabinet(
    hinge: float, angle: float, box_surface: Callable[..., Points]
) -> None:
    side = math.copysign(1.0, hinge)
    shut = door(box_surface, (0.02, 0.02, 0.2), (-side * 0.16, 1.0)) - np.array([hinge, 0.0, 0.0])
    opened = shut @ rotations.about(UP, side * angle).T + np.array([hinge, 0.0, 0.0])
    inside = box_surface((0.0, 0.3), (0.4, 0.02, 0.6), z=0.8)
    leaf, found = open_leaf(find_panel(opened, EYE), AHEAD, inside)
    assert found == pytest.approx(angle, abs=0.08)
    assert leaf.hinge[:2] == pytest.approx([hinge, 0.0], abs=0.03)
    assert leaf.place(1.0, -found)[:2] == pytest.approx([-hinge, 0.0], abs=0.06)


def test_a_door_that_hangs_open_is_lifted(box_surface: Callable[..., Points]) -> None:
    panel = box_surface((0.0, -0.2), (0.5, 0.4, 0.02), z=0.3)
    leaf, angle = open_leaf(find_panel(panel[panel[:, 2] > 0.31], EYE), AHEAD, np.zeros((0, 3)))
    assert (leaf.kind, angle) == ("drop", math.pi / 2)
    assert leaf.place(1.0, -math.pi / 2)[1:] == pytest.approx([0.0, 0.72], abs=0.02)
    assert leaf.outside[2] < -0.99


def test_a_drawer_is_taken_by_its_bar_and_pushed_below_its_upper_edge(
    box_surface: Callable[..., Points],
) -> None:
    front = box_surface((0.0, 0.01), (0.4, 0.02, 0.15), z=0.7)
    bar = box_surface((0.0, -0.03), (0.15, 0.02, 0.02), z=0.77)
    points = np.concatenate([front[front[:, 1] < 0.001], bar])
    facing = AHEAD[:2]
    grip = find_grip(points, EYE, facing)
    assert grip.place == pytest.approx([0.0, -0.03, 0.78], abs=0.02)
    assert abs(grip.closing[2]) > 0.99
    into = -front_normal(points, facing)
    assert into @ AHEAD > 0.99
    assert front_middle(points, into)[2] < 0.85


def test_a_rack_is_taken_by_its_front_edge(box_surface: Callable[..., Points]) -> None:
    rack = box_surface((0.0, 0.2), (0.4, 0.4, 0.012), z=0.5)
    grip = find_grip(rack, EYE, AHEAD[:2])
    assert grip.place[1] == pytest.approx(0.012, abs=0.01)
    assert grip.place[2] == pytest.approx(0.506, abs=0.01)
