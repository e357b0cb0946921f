"""Grasps for boxes, bottles and bowls, with and without neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.cloud import support_height
from rpent_manipulation.geometry import closing
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.grasping import Scene, plan
from rpent_manipulation.primitives.pick import below_top

Points = NDArray[np.float64]
Surface = Callable[..., Points]
BASE = np.array([-0.6, 0.0, 0.0])


def _scene(points: Points, obstacles: Points) -> Scene:
    return Scene(points=points, obstacles=obstacles, home_yaw=0.0, base=BASE)


@pytest.mark.parametrize("turned", [0.0, 0.5, -0.9, 1.4])
def test_a_box_is_taken_across_its_narrow_side(box_surface: Surface, table: Points, turned: float) -> None:
    best = plan(_scene(box_surface((0.05, -0.1), (0.09, 0.04, 0.02), yaw=turned), table))[0]
    across = closing(best.yaw_rad)
    narrow = np.array([-math.sin(turned), math.cos(turned)])
    assert best.strategy == "top"
    assert abs(float(across @ narrow)) > math.cos(math.radians(8))
    assert best.position[:2] == pytest.approx([0.05, -0.1], abs=2e-3)
    assert best.width_m == pytest.approx(0.04, abs=6e-3)


def test_a_flat_thing_is_taken_above_the_table(box_surface: Surface, table: Points) -> None:
    best = plan(_scene(box_surface((0.0, 0.0), (0.08, 0.04, 0.018)), table))[0]
    assert gripper.TIP_BELOW_SITE <= best.position[2] < 0.018


def test_a_tall_thing_is_taken_below_the_palm(box_surface: Surface, table: Points) -> None:
    best = plan(_scene(box_surface((0.0, 0.0), (0.06, 0.06, 0.145)), table))[0]
    assert 0.145 - gripper.PALM_ABOVE_SITE <= best.position[2] < 0.135


def test_fingers_keep_clear_of_a_neighbour(box_surface: Surface, table: Points) -> None:
    carton = box_surface((0.0, 0.0), (0.05, 0.05, 0.1))
    neighbour = box_surface((0.0, 0.065), (0.05, 0.05, 0.1))
    best = plan(_scene(carton, np.concatenate([table, neighbour])))[0]
    assert best.cost < 1
    assert abs(float(closing(best.yaw_rad)[1])) < 0.6


def test_a_bowl_is_taken_by_its_rim(bowl_surface: Surface, table: Points) -> None:
    best = plan(_scene(bowl_surface((0.05, 0.1)), table))[0]
    out = best.position[:2] - best.middle[:2]
    assert best.strategy == "rim"
    assert best.middle[:2] == pytest.approx([0.05, 0.1], abs=3e-3)
    assert np.linalg.norm(out) == pytest.approx(0.053, abs=4e-3)
    assert abs(float(out @ closing(best.yaw_rad))) == pytest.approx(np.linalg.norm(out), rel=0.02)
    assert 0.03 < best.position[2] < 0.05


def test_a_lying_bowl_is_taken_by_its_upper_edge(bowl_surface: Surface, table: Points) -> None:
    lying = bowl_surface((0.0, 0.0), tilt=math.radians(50), z=0.05)
    best = plan(_scene(lying, table), "rim")[0]
    assert not best.level
    assert best.position[2] == pytest.approx(lying[:, 2].max() - 0.015, abs=0.01)


def test_the_next_attempt_is_different(bowl_surface: Surface, table: Points) -> None:
    first, second = plan(_scene(bowl_surface((0.05, 0.1)), table))[:2]
    assert np.linalg.norm(first.position - second.position) > 0.02


def test_a_thing_too_wide_for_the_hand_has_no_top_grasp(box_surface: Surface, table: Points) -> None:
    assert plan(_scene(box_surface((0, 0), (0.12, 0.12, 0.1)), table), "top") == []


def test_an_asked_yaw_is_kept(box_surface: Surface, table: Points) -> None:
    grasps = plan(_scene(box_surface((0, 0), (0.05, 0.05, 0.1)), table), "top", yaw_rad=0.4)
    assert [grasp.yaw_rad for grasp in grasps] == pytest.approx([0.4])


def test_between_close_neighbours_the_fingers_open_only_as_far_as_needed(
    box_surface: Surface, table: Points
) -> None:
    """A cube of 2 cm in a ring of 5.2 cm, as a small thing in a pan: fingers that are wide open hit the ring."""
    angles = np.repeat(np.linspace(0.0, 2 * np.pi, 120), 4)
    radii = np.tile([0.052, 0.055, 0.058, 0.061], 120)
    ring = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), np.full(480, 0.028)])
    best = plan(_scene(box_surface((0.0, 0.0), (0.02, 0.02, 0.02)), np.concatenate([table, ring])))[0]
    assert best.opening_m < 0.05
    assert best.cost < 1


def test_between_high_walls_a_thing_is_taken_by_its_top(box_surface: Surface, table: Points) -> None:
    """A block of 5 cm in a pan whose rim is 7.6 cm high: the palm stays above the rim, the tips below the top."""
    angles = np.repeat(np.linspace(0.0, 2 * np.pi, 180), 3)
    radii = np.tile([0.08, 0.083, 0.086], 180)
    rim = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), np.full(540, 0.076)])
    best = plan(_scene(box_surface((0.0, 0.0), (0.04, 0.04, 0.05)), np.concatenate([table, rim])))[0]
    assert best.cost < 1
    assert best.position[2] + gripper.PALM_ABOVE_SITE > 0.074
    assert best.position[2] - gripper.TIP_BELOW_SITE < 0.04


def test_a_thing_in_a_pan_stands_on_the_floor_of_the_pan() -> None:
    """Of the thing only the part above the pan's rim is seen; the floor beside it is seen from above."""
    grid = np.stack(np.meshgrid(np.arange(-0.1, 0.1, 0.004), np.arange(-0.1, 0.1, 0.004)), axis=-1).reshape(
        -1, 2
    )
    ring = (np.linalg.norm(grid, axis=1) > 0.055) & (np.linalg.norm(grid, axis=1) < 0.075)
    rim = np.repeat(np.column_stack([grid[ring], np.full(ring.sum(), 0.035)]), 3, axis=0)
    inside = (np.linalg.norm(grid, axis=1) < 0.05) & (np.abs(grid).max(axis=1) > 0.02)
    floor = np.column_stack([grid[inside], np.full(inside.sum(), 0.004)])
    top = np.column_stack([grid[np.abs(grid).max(axis=1) < 0.015], np.full(49, 0.045)])
    assert support_height(top, np.concatenate([rim, floor])) == pytest.approx(0.004, abs=3e-3)


def test_what_is_higher_than_the_view_from_above_shows_is_no_part_of_a_thing(box_surface: Surface) -> None:
    cube, rim = box_surface((0.0, 0.0), (0.03, 0.03, 0.03)), box_surface((0.02, 0.0), (0.004, 0.03, 0.07))
    kept = below_top(np.concatenate([cube, rim]), cube[cube[:, 2] > 0.02])
    assert len(kept) >= len(cube)
    assert kept[:, 2].max() < 0.045
    assert np.array_equal(below_top(cube, cube), cube)
