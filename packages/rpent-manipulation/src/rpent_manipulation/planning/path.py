"""Ways over and around things: where hand and held thing pass between two places, in as few waypoints as possible."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.geometry import closing, direction
from rpent_manipulation.panda import gripper, kinematics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

SPACING = 0.04
"""Metres between the places of a way whose surroundings are looked at."""

CLEARANCE = 0.025
"""How far above everything the lowest part passes."""

PALM_CLEARANCE = 0.012
PALM_MARGIN = 0.015
"""Left free beside the palm and what is carried, metres."""

HAND_HEIGHT = 0.24
"""From the grasp point up to the end of the wrist, and a little, where the hand points down."""

HAND_ROOM = 0.15
"""The hand, wherever it points, and the wrist behind it are within this of the grasp point, seen from above."""

STRETCHED = 0.01
"""A way that lacks less height than this, metres, is as good as one that lacks none."""

NOTHING: Points = np.zeros((0, 3))

ENOUGH_POINTS = 4
"""Fewer points than this are noise."""

DETOURS = (0.12, 0.24)
"""How far aside, and back towards the base, a way round is looked for, metres."""

STRETCH_COST = 20.0
"""What a metre of needed but unreachable height costs, against a metre of way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What is carried, relative to the grasp point."""

    below_m: float = gripper.TIP_BELOW_SITE
    """How far its bottom is below the grasp point."""
    offset: tuple[float, float] = (0.0, 0.0)
    """World xy from the grasp point to its middle."""
    reach_m: float = 0.0
    """Its horizontal radius."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """Waypoints, and what going there costs."""

    points: list[NDArray[np.float64]]
    cost: float
    stretch_m: float
    """How much higher the arm would have to reach than it can, summed over the places of the way."""


def over(
    start: NDArray[np.float64],
    goal: NDArray[np.float64],
    around: Points,
    load: Load,
    base: NDArray[np.float64],
    *,
    end_z: float,
    overhead: Points = NOTHING,
    yaws: tuple[float, ...] = (),
) -> list[NDArray[np.float64]]:
    """Return waypoints (3,) of the grasp point from `start` to a point above `goal`.

    The straight way is taken unless the arm cannot reach high enough, or has no room, to pass over what is there.
    Ways round that suit every yaw of the hand come first; then the hand's outline at its own yaws is looked at.

    Args:
        start: (3,) where it is.
        goal: (2,) where it goes.
        around: (m, 3) surface of everything that stays.
        load: What is carried.
        base: (3,) where the arm stands; no waypoint is higher than the arm can reach there.
        end_z: Height that it must at least have above the goal.
        overhead: (k, 3) surface of what hangs over the way, below which hand and wrist must stay.
        yaws: The hand's yaws on the way; without any it may turn as it likes.
    """
    floor = min(start[2], end_z) - load.below_m - CLEARANCE - 0.005
    tall = around[around[:, 2] > floor]
    room = _Room(around=tall, overhead=overhead, load=load, base=base)
    best = _straight([start[:2], goal[:2]], start[2], end_z, room)
    vias = _detours(start, goal, base) if best.stretch_m > STRETCHED else []
    for via in vias:
        other = _straight([start[:2], via, goal[:2]], start[2], end_z, room)
        best = min(best, other, key=lambda way: way.cost)
    if best.stretch_m > STRETCHED and yaws and len(overhead):
        narrow = replace(room, yaws=yaws)
        ways = [[start[:2], goal[:2]], *([start[:2], via, goal[:2]] for via in vias)]
        best = min((_straight(way, start[2], end_z, narrow) for way in ways), key=lambda way: way.cost)
    return best.points


@dataclass(frozen=True, kw_only=True, slots=True)
class _Room:
    """What a way leads through, and what passes there."""

    around: Points
    overhead: Points
    load: Load
    base: NDArray[np.float64]
    yaws: tuple[float, ...] = ()
    """Of the hand; without any its palm sweeps a disc."""

    def needed(self, place: NDArray[np.float64]) -> float:
        """Return the lowest safe height of the grasp point: fingers and load near it, the palm further aside."""
        local = self.around[:, :2] - place
        distance = np.hypot(local[:, 0], local[:, 1])
        fingers = _top(self.around[distance < 0.055, 2]) + gripper.TIP_BELOW_SITE + CLEARANCE
        under_palm = self._under_palm(local, distance)
        aside = _top(self.around[under_palm, 2]) - gripper.PALM_ABOVE_SITE + PALM_CLEARANCE
        height = max(fingers, aside)
        if self.load.reach_m > 0:
            under = np.linalg.norm(local - self.load.offset, axis=1) < self.load.reach_m + PALM_MARGIN
            height = max(height, _top(self.around[under, 2]) + self.load.below_m + CLEARANCE)
        return height

    def _under_palm(self, local: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.bool_]:
        length, width = gripper.PALM_HALF_LENGTH + PALM_MARGIN, gripper.PALM_HALF_WIDTH + PALM_MARGIN
        if not self.yaws:
            return distance < length
        outlines = [
            (np.abs(local @ closing(yaw)) < length) & (np.abs(local @ direction(yaw)) < width)
            for yaw in self.yaws
        ]
        return np.asarray(np.any(outlines, axis=0))

    def ceiling(self, place: NDArray[np.float64]) -> float:
        """Return how high the grasp point may be: as the arm reaches, and as there is room for the wrist."""
        return min(kinematics.highest(place, self.base), headroom(place, self.overhead))


def _detours(
    start: NDArray[np.float64], goal: NDArray[np.float64], base: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return places to pass by: beside the start and nearer to the base than it, to either side."""
    inward = (base[:2] - start[:2]) / max(float(np.linalg.norm(base[:2] - start[:2])), 1e-6)
    aside = np.array([-inward[1], inward[0]])
    back = [start[:2] + inward * d for d in DETOURS]
    sides = [start[:2] + inward * d + aside * s for d in (0.0, *DETOURS) for a in DETOURS for s in (a, -a)]
    near_goal = [goal[:2] + aside * s for a in DETOURS for s in (a, -a)]
    return [*back, *sides, *near_goal]


def _straight(corners: list[NDArray[np.float64]], start_z: float, end_z: float, room: _Room) -> Way:
    """Return the lowest safe way through horizontal corners: an arch over all that is near it."""
    places, length = _sample(corners)
    exact = np.array([room.needed(place) for place in places])
    # Each place takes over its neighbours' heights: the hand rises before it gets there, and corners may be cut.
    needed = np.maximum(exact, np.maximum(np.append(exact[1:], -np.inf), np.append(-np.inf, exact[:-1])))
    needed[0], needed[-1] = start_z, max(exact[-1], end_z)
    ceilings = np.array([room.ceiling(place) for place in places])
    ceilings[-1] = max(ceilings[-1], end_z)
    stretch = float(np.clip(needed[1:] - ceilings[1:], 0.0, 0.3).sum())
    heights = np.minimum(np.maximum(needed, min(start_z, end_z)), ceilings)
    heights[0] = start_z
    turns = [0, *np.cumsum([len(_sample([a, b])[0]) - 1 for a, b in pairwise(corners)])]
    kept = _upper_hull(np.linspace(0.0, 1.0, len(places)), heights, [int(turn) for turn in turns])
    points = [np.array([*places[i], heights[i]]) for i in kept]
    climb = sum(abs(float(b[2] - a[2])) for a, b in pairwise(points))
    cost = length + climb + 0.05 * len(points) + STRETCH_COST * stretch
    return Way(points=points[1:], cost=cost, stretch_m=stretch)


def _sample(corners: list[NDArray[np.float64]]) -> tuple[NDArray[np.float64], float]:
    places, length = [corners[0]], 0.0
    for a, b in pairwise(corners):
        leg = float(np.linalg.norm(b - a))
        count = max(1, math.ceil(leg / SPACING))
        places += [a + (b - a) * (i + 1) / count for i in range(count)]
        length += leg
    return np.array(places), length


def _top(heights: NDArray[np.float64]) -> float:
    if len(heights) < ENOUGH_POINTS:
        return -math.inf
    return float(np.partition(heights, -ENOUGH_POINTS)[-ENOUGH_POINTS])


def headroom(place: NDArray[np.float64], overhead: Points) -> float:
    """Return how high the grasp point may be at a place (2,), so that a hand that points down fits below things."""
    near = overhead[np.linalg.norm(overhead[:, :2] - place, axis=1) < HAND_ROOM, 2]
    if len(near) < ENOUGH_POINTS:
        return math.inf
    return float(np.partition(near, ENOUGH_POINTS - 1)[ENOUGH_POINTS - 1]) - HAND_HEIGHT


def _upper_hull(shares: NDArray[np.float64], heights: NDArray[np.float64], turns: list[int]) -> list[int]:
    """Return the indices of the corners of the tightest arch over all heights; horizontal turns are always kept."""
    corners: list[int] = []
    for i in range(len(shares)):
        while (
            len(corners) >= 2
            and corners[-1] not in turns
            and _below(shares, heights, corners[-2], corners[-1], i)
        ):
            corners.pop()
        corners.append(i)
    return corners


def _below(shares: NDArray[np.float64], heights: NDArray[np.float64], a: int, b: int, c: int) -> bool:
    """Whether corner b is on or (almost) below the line from a to c."""
    share = (shares[b] - shares[a]) / (shares[c] - shares[a])
    return bool(heights[b] <= heights[a] + share * (heights[c] - heights[a]) + 0.004)
