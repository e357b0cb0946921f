"""Where things are put down, and the ways there."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.panda import kinematics
from rpent_manipulation.planning.path import HAND_HEIGHT, Load, over
from rpent_manipulation.planning.placing import find_spot, spot_at
from rpent_manipulation.primitives.held import Held

Points = NDArray[np.float64]
Surface = Callable[..., Points]
BASE = np.array([-0.6, 0.0, 0.0])
HOME = np.array([0.0, -0.161037, 0.0, -2.444597, 0.0, 2.226752, 0.785398])
CABINET_M = 0.46
"""Height of a wall cabinet's underside, which hand and wrist must stay below."""
HELD = Held(label="can", strategy="top", yaw_rad=0.0, offset=(0.0, -0.05), below_m=0.06, reach_m=0.04)


def test_on_a_plate_means_its_middle(bowl_surface: Surface, table: Points) -> None:
    plate = bowl_surface((0.1, 0.05), radius=0.08, height=0.02)
    spot = find_spot("on", plate, table, HELD)
    assert spot.position[:2] == pytest.approx([0.1, 0.05], abs=3e-3)
    assert 0.0 < spot.position[2] < 0.02


def test_in_a_basket_means_within_its_rim(box_surface: Surface, table: Points) -> None:
    walls = box_surface((0.0, 0.25), (0.16, 0.16, 0.15))
    basket = walls[(walls[:, 2] < 0.149) | (np.abs(walls[:, 0]) > 0.07)]
    spot = find_spot("in", basket, table, HELD)
    assert spot.position[:2] == pytest.approx([0.0, 0.25], abs=5e-3)
    assert spot.clear_z == pytest.approx(0.15, abs=5e-3)
    assert spot.position[2] < spot.clear_z


@pytest.mark.parametrize(
    ("relation", "axis", "sign"),
    [("left_of", 1, -1), ("right_of", 1, 1), ("in_front_of", 0, 1), ("behind", 0, -1)],
)
def test_sides_are_those_of_the_picture(
    box_surface: Surface, table: Points, relation: str, axis: int, sign: int
) -> None:
    spot = find_spot(relation, box_surface((0.0, 0.0), (0.1, 0.1, 0.02)), table, HELD)  # type: ignore[arg-type]
    assert sign * spot.position[axis] > 0.05 + HELD.reach_m
    assert spot.position[1 - axis] == pytest.approx(0.0, abs=5e-3)


def test_next_to_avoids_what_stands_there(box_surface: Surface, table: Points) -> None:
    places = [(0.13, 0.0), (-0.13, 0.0), (0.0, 0.13)]
    crowd = np.concatenate([box_surface(place, (0.08, 0.08, 0.1)) for place in places])
    spot = find_spot(
        "next_to", box_surface((0.0, 0.0), (0.1, 0.1, 0.02)), np.concatenate([table, crowd]), HELD
    )
    assert spot.position[1] < -0.05


def test_a_given_position_is_the_surface(table: Points) -> None:
    position = np.array([0.1, 0.0, 0.3])
    assert spot_at(position, "on").position[2] > 0.3 > spot_at(position, "in").position[2]


def test_the_offset_turns_with_the_hand() -> None:
    assert HELD.offset_at(math.pi / 2) == pytest.approx([0.05, 0.0])
    assert Held.from_data(HELD.as_data()) == HELD


def test_a_free_way_is_one_waypoint(table: Points) -> None:
    way = over(np.array([0.0, -0.2, 0.2]), np.array([0.0, 0.2]), table, Load(), BASE, end_z=0.15)
    assert len(way) == 1
    assert way[-1] == pytest.approx([0.0, 0.2, 0.15])


def test_the_load_passes_over_a_wall(box_surface: Surface, table: Points) -> None:
    wall = box_surface((0.0, 0.0), (0.3, 0.02, 0.25))
    load = Load(below_m=0.1, reach_m=0.03)
    start = np.array([0.0, -0.2, 0.15])
    way = over(start, np.array([0.0, 0.2]), np.concatenate([table, wall]), load, BASE, end_z=0.15)
    heights = np.interp(
        np.linspace(-0.03, 0.03, 7), [start[1], *(p[1] for p in way)], [start[2], *(p[2] for p in way)]
    )
    assert heights.min() > 0.25 + load.below_m


def test_under_a_cabinet_the_hand_passes_beside_a_tall_neighbour(box_surface: Surface, table: Points) -> None:
    """Its palm is narrow across the closing direction: what is 8 cm ahead of the goal does not lift it."""
    neighbour = box_surface((0.08, 0.0), (0.04, 0.3, 0.25))
    cabinet = box_surface((0.0, 0.0), (0.5, 1.0, CABINET_M))
    start, goal, around = (
        np.array([-0.05, -0.15, 0.15]),
        np.array([0.0, 0.0]),
        np.concatenate([table, neighbour]),
    )
    blind = over(start, goal, around, Load(), BASE, end_z=0.12)
    aware = over(start, goal, around, Load(), BASE, end_z=0.12, overhead=cabinet, yaws=(0.0,))
    room = CABINET_M - HAND_HEIGHT
    assert max(point[2] for point in blind) > room
    assert max(point[2] for point in aware) <= room
    assert aware[-1][2] < 0.2


def test_a_cabinet_overhead_does_not_matter_where_the_way_is_free(
    box_surface: Surface, table: Points
) -> None:
    cabinet = box_surface((0.0, 0.0), (0.5, 1.0, CABINET_M))
    start, goal = np.array([0.0, -0.2, 0.15]), np.array([0.0, 0.2])
    free = over(start, goal, table, Load(), BASE, end_z=0.15)
    below = over(start, goal, table, Load(), BASE, end_z=0.15, overhead=cabinet, yaws=(0.0,))
    assert np.array_equal(free, below)


def test_the_arm_stands_where_it_stands() -> None:
    """The Panda of LIBERO's floor scenes: base at (-0.6, 0, 0), grasp point at (-0.148, 0, 0.261) at rest."""
    base = kinematics.base_position(np.array([-0.14846, 0.0, 0.26128]), HOME)
    assert base == pytest.approx([-0.6, 0.0, 0.0], abs=2e-3)
    assert not kinematics.is_straight(HOME)


def test_far_places_are_reached_lower() -> None:
    heights = [kinematics.highest(np.array([x, 0.0]), BASE) for x in (-0.2, 0.0, 0.15)]
    assert heights == sorted(heights, reverse=True)


def test_a_straight_arm_is_drawn_back_with_the_tips_inwards() -> None:
    down = np.diag([1.0, -1.0, -1.0])
    position, rotation = kinematics.unbend(np.array([0.1, 0.0, 0.3]), down, BASE)
    assert position[0] < 0.1
    assert rotation[0, 2] < 0  # the approach axis now also points towards the base
