"""Where a mobile robot stands to work on a point: free, on a route, facing it, near enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.geometry import direction
from rpent_manipulation.planning.floor import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.planning.routes import Routes

GAP_M = 0.05
"""Left free between the base and what it stands before: the benchmark's own start poses leave as much."""
SPACING_M = 0.03
SIDES = 8
"""Directions from a point that are tried where none is given: furniture stands along the world's axes, mostly."""
ASKEW_COST = 0.25
"""What a side that is no axis of the world costs, metres of way."""
ASIDE_M = 0.15
"""How far beside the straight line a robot may stand, where exactly before the point it cannot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Distance:
    """How far before a point, horizontally, from where the arm stands, metres."""

    nearest: float
    best: float
    farthest: float


BEFORE = Distance(nearest=0.25, best=0.25, farthest=2.0)
"""As near as the furniture lets it: what `go to the sink` means."""
REACHING = Distance(nearest=0.45, best=0.60, farthest=0.85)
"""Where the arm works well at the height of a counter: with the hand down it reaches 0.74 m there."""


def stand_before(
    routes: Routes,
    point: NDArray[np.float64],
    distance: Distance,
    outward: NDArray[np.float64] | None = None,
) -> Pose | None:
    """Return the pose to work on a point from: near the wanted distance first, then a short way there.

    Args:
        routes: From where it stands.
        point: (2,) or (3,) world.
        distance: How far before it.
        outward: (2,) or (3,) direction from the point to the robot; None tries all sides.

    Returns:
        None when it can stand nowhere before the point.
    """
    plan, footprint = routes.plan, routes.footprint
    roomy = replace(footprint, front_m=footprint.front_m + GAP_M)
    best: tuple[float, Pose] | None = None
    for angle, askew in _angles(outward):
        for pose, off in _poses(np.asarray(point)[:2], angle, distance):
            price = off + askew
            if best is not None and price >= best[0]:
                break  # farther off costs more, whatever the way there
            if not plan.stands_free(pose, roomy):
                continue
            cost = routes.cost(pose)
            if math.isfinite(cost):
                total = price + 0.1 * cost
                if best is None or total < best[0]:
                    best = (total, pose)
                break
    return None if best is None else best[1]


def _angles(outward: NDArray[np.float64] | None) -> list[tuple[float, float]]:
    """Return directions from the point, and what each costs."""
    if outward is not None and np.linalg.norm(np.asarray(outward)[:2]) > 1e-6:
        given = math.atan2(outward[1], outward[0])
        return [(given + turn, ASKEW_COST * abs(turn)) for turn in (0.0, 0.25, -0.25, 0.5, -0.5)]
    return [
        (2 * math.pi * i / SIDES, 0.0 if i % (SIDES // 4) == 0 else ASKEW_COST)
        for i in sorted(range(SIDES), key=lambda i: i % (SIDES // 4))
    ]


def _poses(point: NDArray[np.float64], angle: float, distance: Distance) -> list[tuple[Pose, float]]:
    """Return poses that look along one direction at (or past) the point, and by how much each is off, best first."""
    out = direction(angle)
    across = np.array([-out[1], out[0]])
    poses = []
    for far in np.arange(distance.nearest, distance.farthest + 1e-9, SPACING_M):
        for aside in (0.0, ASIDE_M, -ASIDE_M):
            x, y = point + far * out + aside * across
            poses.append((Pose(float(x), float(y), angle + math.pi), abs(far - distance.best) + abs(aside)))
    return sorted(poses, key=lambda pair: pair[1])
