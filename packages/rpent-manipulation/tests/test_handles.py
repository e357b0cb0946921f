"""A vessel's middle is that of its bowl, whatever handle sticks out."""

from __future__ import annotations

import numpy as np
import pytest
from rpent_manipulation.planning.placing import find_spot, without_handle


def disk(radius: float, count: int = 3000) -> np.ndarray:
    """Return points (n, 3) of a round vessel with a rim, around the origin."""
    generator = np.random.default_rng(0)
    angle, out = generator.uniform(0, 2 * np.pi, count), radius * np.sqrt(generator.uniform(0, 1, count))
    return np.column_stack(
        [out * np.cos(angle), out * np.sin(angle), np.where(out > 0.92 * radius, 0.05, 0.0)]
    )


def bar(length: float) -> np.ndarray:
    """Return points (n, 3) of a handle from the vessel's rim outwards along y."""
    y, x = np.meshgrid(np.arange(0.1, 0.1 + length, 0.005), np.arange(-0.012, 0.013, 0.004))
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.045)])


def test_what_is_put_in_a_pan_goes_to_the_middle_of_its_bowl() -> None:
    pan = np.concatenate([disk(0.1), bar(0.15)])
    spot = find_spot("in", pan, np.empty((0, 3)), None)
    assert spot.position[:2] == pytest.approx([0.0, 0.0], abs=0.01)


@pytest.mark.parametrize("shape", ["round", "box"])
def test_a_vessel_without_a_handle_is_left_whole(shape: str) -> None:
    grid = np.stack(np.meshgrid(np.arange(-0.1, 0.1, 0.005), np.arange(-0.05, 0.05, 0.005)), axis=-1).reshape(
        -1, 2
    )
    points = disk(0.08) if shape == "round" else np.column_stack([grid, np.zeros(len(grid))])
    assert len(without_handle(points)) == len(points)
