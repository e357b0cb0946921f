"""Shapes read from sampled surfaces whose true measures are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation import cloud

Points = NDArray[np.float64]
Surface = Callable[..., Points]


def test_strays_are_dropped_and_thin_parts_kept(box_surface: Surface) -> None:
    bottle = np.concatenate(
        [box_surface((0, 0), (0.06, 0.06, 0.1)), box_surface((0, 0), (0.02, 0.02, 0.05), z=0.1)]
    )
    kept = cloud.clean(np.concatenate([bottle, [[0.0, 0.0, -0.6], [0.5, 0.2, 0.0]]]))
    assert len(kept) == len(bottle)
    assert cloud.top_height(kept) == pytest.approx(0.15, abs=1e-3)


def test_the_support_is_the_table_around(box_surface: Surface, table: Points) -> None:
    assert cloud.support_height(box_surface((0.1, 0), (0.05, 0.08, 0.03)), table) == pytest.approx(
        0.0, abs=2e-3
    )


def test_without_surroundings_the_lowest_point_supports(box_surface: Surface) -> None:
    box = box_surface((0.1, 0), (0.05, 0.08, 0.03), z=0.4)
    assert cloud.support_height(box, np.zeros((0, 3))) == pytest.approx(0.4, abs=2e-3)


def test_a_circle_with_outliers() -> None:
    angle = np.linspace(0, 4.5, 80)
    points = np.stack([0.1 + 0.05 * np.cos(angle), -0.2 + 0.05 * np.sin(angle), 0 * angle], axis=1)
    circle = cloud.fit_circle(np.concatenate([points, [[0.1, -0.2, 0], [0.2, 0.0, 0]]]))
    assert circle.center == pytest.approx([0.1, -0.2], abs=1e-3)
    assert circle.radius_m == pytest.approx(0.05, abs=1e-3)
    assert 0.6 < circle.coverage < 0.85


def test_the_rim_of_a_bowl(bowl_surface: Surface) -> None:
    rim = cloud.find_rim(bowl_surface((0.1, 0.2), radius=0.055, z=0.9))
    assert rim is not None
    assert rim.clear
    assert rim.circle.center == pytest.approx([0.1, 0.2], abs=2e-3)
    assert rim.circle.radius_m == pytest.approx(0.055, abs=2e-3)
    assert rim.height_at(1.0) == pytest.approx(0.95, abs=2e-3)
    assert np.linalg.norm(rim.slope) < 0.02


def test_a_tilted_rim_has_a_slope_and_its_foot_lies_aside(bowl_surface: Surface) -> None:
    tilt = math.radians(12)
    rim = cloud.find_rim(bowl_surface((0.0, 0.0), tilt=tilt))
    assert rim is not None
    assert abs(rim.slope[0]) == pytest.approx(math.tan(tilt), abs=0.04)
    assert np.linalg.norm(rim.foot(0.05)) < np.linalg.norm(rim.circle.center)


def test_a_box_has_no_round_rim(box_surface: Surface) -> None:
    rim = cloud.find_rim(box_surface((0, 0), (0.20, 0.12, 0.1)))
    assert rim is None or not rim.clear


def test_the_top_surface_of_a_cabinet_with_a_front(box_surface: Surface) -> None:
    cabinet = np.concatenate(
        [box_surface((0, 0), (0.2, 0.2, 0.2)), box_surface((0.12, 0), (0.02, 0.1, 0.02), z=0.1)]
    )
    surface = cloud.top_surface(cabinet)
    assert cloud.extent(surface).middle[:2] == pytest.approx([0, 0], abs=5e-3)
    assert np.median(surface[:, 2]) == pytest.approx(0.2)


def test_thinning_keeps_one_point_per_cell() -> None:
    points = np.repeat([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], 50, axis=0)
    assert len(cloud.thin_out(points)) == 2
