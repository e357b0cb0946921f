"""How well a spatial relation holds, as a soft score: scenes are perturbed, so the best candidate is taken.

A cost of 1 means "one typical tolerance away"; scores are exp(-cost), in (0, 1].
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_planner_flash.goals import Direction, RelationKind
    from rpent_planner_flash.scene import Candidate

NEAR_M = 0.12
"""A typical distance of things that stand next to one another, centre to centre."""
CONTACT_M = 0.04
"""A typical error of a height or an edge that is seen from one side."""
LEVEL_HEIGHTS = {"top": 0.8, "middle": 0.5, "bottom": 0.2}
"""Height of a drawer in its chest, as a share of the chest's height."""


class View:
    """The instruction's directions in the world: unit vectors (2,) for right and front (to the viewer)."""

    def __init__(
        self, right: tuple[float, float] = (0.0, 1.0), front: tuple[float, float] = (1.0, 0.0)
    ) -> None:
        self.right = np.asarray(right, dtype=np.float64)
        self.front = np.asarray(front, dtype=np.float64)

    @classmethod
    def of_camera(cls, world_from_camera: NDArray[np.float64]) -> View:
        """Take the directions from a camera's pose: right is its x axis, front is against its z axis."""
        return cls(_unit(world_from_camera[:2, 0]), _unit(-world_from_camera[:2, 2]))

    def direction(self, kind: RelationKind) -> NDArray[np.float64]:
        """Return the unit vector (2,) of `left_of`, `right_of`, `front_of` or `behind`."""
        vectors = {
            "left_of": -self.right,
            "right_of": self.right,
            "front_of": self.front,
            "behind": -self.front,
        }
        return vectors[kind]


def _unit(vector: NDArray[np.float64]) -> tuple[float, float]:
    length = float(np.linalg.norm(vector)) or 1.0
    return float(vector[0]) / length, float(vector[1]) / length


def score(
    kind: RelationKind, thing: Candidate, anchors: Sequence[Candidate], view: View, level: str | None = None
) -> float:
    """Return how well `thing` is in the relation to the anchors, 0 to 1."""
    anchor = anchors[0]
    if kind == "between" and len(anchors) > 1:
        cost = _between(thing, anchor, anchors[1])
    elif kind == "on":
        cost = _on(thing, anchor)
    elif kind == "with":
        cost = _in(anchor, thing, None)
    elif kind == "in":
        cost = _in(thing, anchor, level)
    elif kind == "under":
        cost = outside(thing, anchor) / CONTACT_M + max(0.0, thing.top - anchor.top) / CONTACT_M
    elif kind in ("left_of", "right_of", "front_of", "behind"):
        cost = _beside(thing, anchor, view.direction(kind))
    elif kind == "center":
        cost = float(np.linalg.norm(thing.xy - anchor.xy)) / NEAR_M
    else:
        cost = _next_to(thing, anchor)
    return math.exp(-min(cost, 50.0))


def outside(thing: Candidate, anchor: Candidate) -> float:
    """Return how far the thing's middle is outside the anchor's horizontal extent, metres; 0 inside."""
    beyond = np.maximum(np.abs(thing.xy - anchor.xy) - anchor.size[:2] / 2, 0.0)
    return float(np.linalg.norm(beyond))


def _next_to(thing: Candidate, anchor: Candidate) -> float:
    """On the same surface, near; what is on or in the other is not next to it."""
    distance = float(np.linalg.norm(thing.xy - anchor.xy))
    stacked = 2.0 if outside(thing, anchor) == 0.0 else 0.0
    return distance / NEAR_M + abs(thing.bottom - anchor.bottom) / (2 * CONTACT_M) + stacked


def _on(thing: Candidate, anchor: Candidate) -> float:
    return outside(thing, anchor) / CONTACT_M + abs(thing.bottom - anchor.top) / CONTACT_M


def _in(thing: Candidate, anchor: Candidate, level: str | None) -> float:
    """Within the extent and below the rim. An open drawer reaches out of its chest by up to its own depth."""
    reach = 0.12 if level is not None else 0.0
    cost = max(0.0, outside(thing, anchor) - reach) / CONTACT_M
    cost += max(0.0, thing.bottom - (anchor.top - CONTACT_M)) / CONTACT_M
    if level is not None and anchor.size[2] > 0.12:  # the anchor is the chest, not the drawer alone
        height = anchor.bottom + LEVEL_HEIGHTS.get(level, 0.5) * float(anchor.size[2])
        cost += 0.5 * abs(float(thing.position[2]) - height) / CONTACT_M
    return cost


def _between(thing: Candidate, first: Candidate, second: Candidate) -> float:
    """The detour over the thing, and how far it is from the halfway point."""
    span = float(np.linalg.norm(second.xy - first.xy))
    to_first = float(np.linalg.norm(thing.xy - first.xy))
    to_second = float(np.linalg.norm(thing.xy - second.xy))
    off_middle = float(np.linalg.norm(thing.xy - (first.xy + second.xy) / 2))
    return (to_first + to_second - span) / NEAR_M + 0.5 * off_middle / NEAR_M


def _beside(thing: Candidate, anchor: Candidate, direction: NDArray[np.float64]) -> float:
    offset = thing.xy - anchor.xy
    along = float(offset @ direction)
    across = float(np.linalg.norm(offset - along * direction))
    return (max(0.0, 0.03 - along) * 3 + across + 0.3 * max(0.0, along)) / NEAR_M


def side_scores(things: Sequence[Candidate], side: Direction, view: View) -> list[float]:
    """Return, for each of several equals, how well it is `the left one` or the like; 1 for the best."""
    along = {"left": -view.right, "right": view.right, "front": view.front, "back": -view.front}
    if side in along:
        values = [float(thing.xy @ along[side]) for thing in things]
        return [math.exp(-(max(values) - value) / CONTACT_M) for value in values]
    # The middle one lies nearest to the middle of all, by position and by rank along the longer spread.
    positions = np.array([thing.xy for thing in things])
    distances = np.linalg.norm(positions - (positions.min(axis=0) + positions.max(axis=0)) / 2, axis=1)
    return [math.exp(-(float(d) - float(distances.min())) / CONTACT_M) for d in distances]
