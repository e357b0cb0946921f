"""Free places on counters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent_manipulation.planning.placing import Viewer, find_spot
from rpent_manipulation.planning.surfaces import broad_surface, nearest_part
from rpent_manipulation.primitives.held import Held

Points = NDArray[np.float64]
Surface = Callable[..., Points]
HELD = Held(label="can", strategy="top", yaw_rad=0.0, offset=(0.0, 0.0), below_m=0.06, reach_m=0.04)


@pytest.fixture
def counter() -> Points:
    """A counter of 0.6 by 1.6 m, 0.9 m high, with a wall behind it."""
    x, y = np.meshgrid(np.linspace(0.0, 0.6, 121), np.linspace(-0.8, 0.8, 321))
    top = np.stack([x.ravel(), y.ravel(), np.full(x.size, 0.9)], axis=1)
    y, z = np.meshgrid(np.linspace(-0.8, 0.8, 161), np.linspace(0.9, 1.0, 21))
    return np.concatenate([top, np.stack([np.full(y.size, 0.6), y.ravel(), z.ravel()], axis=1)])


def _spot(counter: Points, around: Points, near: tuple[float, float]) -> NDArray[np.float64]:
    return find_spot("on", counter, around, HELD, Viewer(middle=near)).position


def test_on_a_counter_is_near_the_robot(counter: Points) -> None:
    spot = _spot(counter, np.zeros((0, 3)), (0.2, 0.5))
    assert spot[:2] == pytest.approx([0.2, 0.5], abs=0.03)
    assert 0.9 < spot[2] < 0.92


def test_on_a_counter_is_where_nothing_stands(counter: Points, box_surface: Surface) -> None:
    jar = box_surface((0.2, 0.5), (0.1, 0.1, 0.2), z=0.9)
    spot = _spot(counter, jar, (0.2, 0.5))
    assert 0.14 < np.linalg.norm(spot[:2] - [0.2, 0.5]) < 0.35
    low = box_surface((0.2, 0.5), (0.1, 0.1, 0.02), z=0.9)
    assert np.linalg.norm(_spot(counter, low, (0.2, 0.5))[:2] - [0.2, 0.5]) < 0.16


def test_a_thing_does_not_stick_out_over_the_edge(counter: Points) -> None:
    spot = _spot(counter, np.zeros((0, 3)), (-0.3, 0.0))
    assert 0.05 < spot[0] < 0.12


def test_what_is_hidden_is_not_free(counter: Points) -> None:
    hidden = counter[~((np.abs(counter[:, 1]) < 0.3) & (counter[:, 2] < 0.91))]
    assert abs(_spot(hidden, np.zeros((0, 3)), (0.2, 0.05))[1]) > 0.33


def test_a_board_is_no_counter(box_surface: Surface, counter: Points) -> None:
    assert broad_surface(box_surface((0.0, 0.0), (0.3, 0.2, 0.02))) is None
    surface = broad_surface(counter)
    assert surface is not None
    assert nearest_part(surface, np.array([-1.0, 0.1])) == pytest.approx([0.0, 0.1, 0.9], abs=0.01)
