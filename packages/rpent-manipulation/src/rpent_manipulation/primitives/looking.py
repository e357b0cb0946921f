"""Looking again after a motion: what a door, drawer, lever or knob really did, whatever the hand did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.hinges import about

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.planning.hinges import Leaf
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

SAME_M = 0.12
"""What slides keeps its place across and its height to within this, or it is another drawer."""

AS_MUCH = 0.9
"""What shows this share of its extent is not hidden by the hand."""

CONTROL_M = 0.04
"""Likewise a control on its panel."""

HINGE_SHARE = 0.35
"""What swings keeps its middle's distance from the hinge to within this share, or it is another door."""

SHUT_RAD, OPEN_RAD = -0.4, 2.6
"""Between these a door stands, with what is measured wrong; its neighbour on the same side wall lies at half a turn."""


def seen_now(world: World, thing: Found, unlike: Callable[[Points], float]) -> Found | None:
    """Return a thing as it is seen now, by whatever camera looks at the room; None where it is out of sight.

    A hand that seems to hide a part of it is drawn in first.

    Args:
        world: The scene.
        thing: As it was seen before it was moved.
        unlike: How unlike the thing a surface (n, 3) is, where it may be after the motion: at 1 it is another thing.
    """
    found = _likest(world.find(thing.label), unlike)
    if found is not None and found.length_m > AS_MUCH * thing.length_m:
        return found
    world.draw_in()
    for candidates in _looks(world, thing.label):
        found = _likest(candidates, unlike)
        if found is not None:
            return found
    return None


def _likest(candidates: list[Found], unlike: Callable[[Points], float]) -> Found | None:
    rated = [(unlike(each.points), number) for number, each in enumerate(candidates)]
    return candidates[min(rated)[1]] if rated and min(rated)[0] < 1.0 else None


def _looks(world: World, label: str) -> Iterator[list[Found]]:
    yield world.find(label)
    for camera in world.cameras:
        if camera not in (*world.seekers, world.wrist):
            yield world.find(label, camera=camera)


def swung(world: World, thing: Found, leaf: Leaf, stood_rad: float = 0.0) -> float | None:
    """Return by which angle a door has swung about its hinge since then, opening positive; None: out of sight.

    Args:
        world: The scene.
        thing: The door as it was seen before.
        leaf: How it turns.
        stood_rad: How far it stood open then.
    """
    before = np.median(thing.points, axis=0)
    now = seen_now(
        world, thing, lambda points: unlike_door(leaf, before, np.median(points, axis=0), stood_rad)
    )
    return None if now is None else about(leaf, before, np.median(now.points, axis=0))


def unlike_door(
    leaf: Leaf, before: NDArray[np.float64], now: NDArray[np.float64], stood_rad: float = 0.0
) -> float:
    """Return how unlike the middle of a door that was at `before` (3,) a place (3,) is; at 1 it is another door's."""
    if not SHUT_RAD < stood_rad + about(leaf, before, now) < OPEN_RAD:
        return float("inf")
    one, other = (leaf.off_hinge(place) for place in (before, now))
    radii = [float(np.linalg.norm(each)) for each in (one, other)]
    along = abs(float((now - before) @ leaf.axis))
    return max(along / SAME_M, abs(radii[1] - radii[0]) / (HINGE_SHARE * leaf.width_m))


def slid(world: World, thing: Found, along: NDArray[np.float64]) -> float | None:
    """Return how far what slides has gone along a horizontal direction (3,) since then, metres; None: out of sight."""
    across = np.cross(UP, along)

    def unlike(points: Points) -> float:
        off = cloud.extent(points).middle - thing.middle
        return max(abs(float(off @ across)), abs(float(off[2]))) / SAME_M

    now = seen_now(world, thing, unlike)
    if now is None:
        return None
    toward = along if along @ (thing.eye - thing.middle) > 0 else -along
    front = [float(np.percentile(each.points @ toward, 98)) for each in (thing, now)]
    return (front[1] - front[0]) * float(np.sign(toward @ along))


def gave_way(world: World, thing: Found, along: NDArray[np.float64]) -> float | None:
    """Return how far a control has gone along a direction (3,) since then, metres; None: out of sight."""

    def unlike(points: Points) -> float:
        off = cloud.extent(points).middle - thing.middle
        return float(np.linalg.norm(off - (off @ along) * along)) / CONTROL_M

    now = seen_now(world, thing, unlike)
    return None if now is None else float((now.middle - thing.middle) @ along)


def same_control(world: World, thing: Found) -> Found | None:
    """Return a control that does not leave its place, as it is seen now; None where it is out of sight."""
    return seen_now(
        world,
        thing,
        lambda points: float(np.linalg.norm(cloud.extent(points).middle - thing.middle)) / CONTROL_M,
    )
