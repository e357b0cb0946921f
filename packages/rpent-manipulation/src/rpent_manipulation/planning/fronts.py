"""Upright fronts with handles: which way they face, where the handle is, how the hand reaches in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

STANDS_OUT = 0.012
"""Points this far in front of a front belong to its handle."""

HANDLE_RADIUS = 0.008
REACH_TILT = math.radians(8)
"""How far the hand's approach dips below the horizontal, so that the palm stays clear of what is below."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Front:
    """The front of a drawer or door."""

    normal: NDArray[np.float64]
    """(3,) horizontal unit vector out of the front."""
    handle: NDArray[np.float64]
    """(3,) middle of the handle."""
    upright: bool
    """Whether the handle is a vertical bar."""


def find_front(
    points: Points, eye: NDArray[np.float64], normal: NDArray[np.float64] | None = None
) -> Front | None:
    """Find a front's direction and handle.

    Args:
        points: (n, 3) visible surface of the front and its handle.
        eye: (3,) where they were seen from: the front faces it.
        normal: (3,) the direction out of the front, where it is known.

    Returns:
        None when nothing stands out from the front.
    """
    facing = _normal(points, eye) if normal is None else np.array([normal[0], normal[1], 0.0])
    facing = facing / max(float(np.linalg.norm(facing)), 1e-6)
    depth = points @ facing
    handle = points[depth > np.median(depth) + STANDS_OUT]
    if len(handle) < 5:
        return None
    across = np.array([-facing[1], facing[0], 0.0])
    low, high = np.percentile(handle @ across, [3, 97])
    bottom, top = np.percentile(handle[:, 2], [3, 97])
    out = float(np.percentile(handle @ facing, 95)) - HANDLE_RADIUS
    middle = facing * out + across * (low + high) / 2 + np.array([0.0, 0.0, (bottom + top) / 2])
    return Front(normal=facing, handle=middle, upright=bool(top - bottom > high - low))


def _normal(points: Points, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the horizontal direction along which most points are at one depth, towards the eye.

    The measure is the shortest interval that holds 40 % of the depths: the panel, whatever its handle adds.
    """
    best, facing, share = math.inf, np.array([1.0, 0.0, 0.0]), int(0.4 * len(points))
    for angle in np.arange(0.0, math.pi, math.radians(2)):
        axis = np.array([math.cos(angle), math.sin(angle), 0.0])
        depth = np.sort(points @ axis)
        spread = float((depth[share:] - depth[: len(depth) - share]).min())
        if spread < best:
            best, facing = spread, axis
    toward = eye - points.mean(axis=0)
    return facing if facing @ toward > 0 else -facing


def reach_in(front: Front, current: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hand's orientation (3, 3) that reaches for the handle from the front, fingers closing across the bar.

    Of the two that are the same grasp, the one nearer to the present orientation is returned.
    """
    out, up = front.normal, np.array([0.0, 0.0, 1.0])
    tilt = 0.0 if front.upright else REACH_TILT
    approach = -out * math.cos(tilt) - up * math.sin(tilt)
    closing = np.cross(up, out) if front.upright else up * math.cos(tilt) - out * math.sin(tilt)
    first = np.stack([np.cross(closing, approach), closing, approach], axis=1)
    second = first @ np.diag([-1.0, -1.0, 1.0])
    return first if np.trace(first.T @ current) >= np.trace(second.T @ current) else second
