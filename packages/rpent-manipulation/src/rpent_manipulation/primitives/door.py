"""Doors on a hinge: drawn open by the handle, then swung by their edge; pushed or lifted shut along their arc."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.hinges import Leaf, find_panel, open_leaf, shut_leaf, with_handle
from rpent_manipulation.primitives.base import can_drive, drive_along
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.fingers import (
    PUSHING,
    REACHED,
    back_off,
    both_hands,
    hand_choices,
    hand_now,
    line_up,
    miss,
    push_through,
    tips,
)
from rpent_manipulation.primitives.slide import (
    AROUND,
    HANDLE_RADIUS,
    PULL_STEP_M,
    ROOM_M,
    Grip,
    handle_of,
    take,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

OPEN_RAD = 1.65
"""How far a door is opened where no angle is given: until it stops."""

AJAR_RAD = 0.55
"""So far a door is drawn by its handle; then the hand goes behind its edge."""

BEYOND_RAD = 0.06
"""A door is pushed this far past shut, so that it is shut."""

STEP_RAD = 0.14
"""Between two places on an arc."""

NEAR_EDGE_M = 0.05
"""How far from its free edge a door is pushed."""

INSIDE_M = 0.035
"""From the outer side to the middle of fingers behind the door: its thickness and half a finger."""

ENTER_M = 0.065
"""Likewise on the way behind it, with room to spare."""

OUTSIDE_M = 0.012
"""From the outer side to the middle of fingers before it: they are pressed against it."""

APART_M = 0.08
"""Free space before fingers touch a door."""

DIPS = tuple(math.radians(angle) for angle in (20, 40, 60, 0, 80))
RELEASED_RAD = 0.6
"""A drop-down door is lifted by its edge to here, and pushed from there."""

WORK_M = 0.45
"""Where the nearest place of an open door's arc is best, before the arm's base."""

UNDER_M = 0.28
"""The hand reaches so far above its finger tips."""

BEFORE_ROBOT_M = 0.28
"""The hand works from this far before the arm's base on."""

ALMOST_RAD = 0.2
"""A door that stops this near to shut is taken for shut."""

NEAR_DOOR_M = 0.7
IN_FRONT = 0.94
"""Cosine of the angle up to which a door counts as lying in its front."""

ENOUGH = 0.6
"""Share of an arc after which a door counts as moved where the benchmark does not say so."""


def open_door(world: World, thing: Found, angle_rad: float = OPEN_RAD) -> ContactResult:
    """Open a door by its handle: about an upright edge, or downwards when the handle lies along its upper edge."""
    panel = find_panel(thing.points, thing.eye)
    handle = handle_of(world, thing)
    if handle is not None:
        panel = with_handle(panel, handle)
    if panel.handle is None:
        return failed("no handle stands out from it")
    leaf = shut_leaf(panel)
    world.bring_within_reach(panel.handle + ROOM_M * leaf.outside, leaf.outside)
    closing = panel.across if panel.upright else UP
    place = panel.handle - HANDLE_RADIUS * leaf.outside
    if not take(world, Grip(place=place, out=leaf.outside, closing=closing)):
        _let_go(world, leaf.outside)
        return failed("the fingers closed beside the handle")
    start, hand = tips(world), hand_now(world)
    angles = _angles(0.0, min(AJAR_RAD, angle_rad))
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way), speed_m=PULL_STEP_M)
    reached = _angle(leaf, tips(world), start)
    _let_go(world, -hand_now(world)[:, 2])
    if reached < AJAR_RAD / 3 and not world.state.success:
        return failed(f"it opened by {reached:.2f} rad only", angle_rad=reached)
    if angle_rad > reached and not world.state.success:
        reached = max(reached, _swing_open(world, leaf, reached, angle_rad))
    if reached < ENOUGH * angle_rad and not world.state.success:
        return failed(f"it opened by {reached:.2f} rad only", angle_rad=reached)
    return ContactResult(ok=True, angle_rad=reached)


def _swing_open(world: World, leaf: Leaf, begin: float, end: float) -> float:
    """Go behind the free edge of a door that is ajar and swing it open; returns the angle that was reached."""
    share = 1.0 - NEAR_EDGE_M / leaf.width_m
    beyond = 1.0 + APART_M / leaf.width_m
    inside = -ENTER_M if leaf.kind == "side" else -APART_M
    angles = _angles(begin, end)
    way = [leaf.place(share, angle, -OUTSIDE_M if angle > begin else inside) for angle in [begin, *angles]]
    way[1:] = [leaf.place(share, angle, -INSIDE_M) for angle in angles]
    hands = _behind(world, leaf, begin, way)
    away = leaf.place(beyond, begin, inside) - 0.06 * hands[:, 2]
    line_up(world, [away, leaf.place(beyond, begin, inside)], hands)
    push_through(world, way, hands)
    reached = _angle(leaf, tips(world), leaf.place(share, 0.0, -INSIDE_M))
    back_off(world, -hands[:, 2])
    return reached


def _behind(
    world: World, leaf: Leaf, begin: float, way: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the hand's orientation (3, 3) behind a door's edge: between along the door and straight ahead."""
    along = -rotations.about(leaf.axis, begin) @ leaf.arm / leaf.width_m
    if leaf.kind == "drop":
        return _best(world, [_dipped(-leaf.outside, dip) for dip in (*DIPS[2:], *DIPS[:2])], leaf.axis, way)
    approaches = []
    for share in (0.5, 0.8, 0.2):
        level = (1 - share) * along - share * leaf.outside
        approaches += [_dipped(level / np.linalg.norm(level), dip) for dip in DIPS[:4]]
    return _best(world, approaches, UP, way)


def close_door(world: World, thing: Found) -> ContactResult:
    """Shut an open door: pushed on its outer side, or lifted by its edge when it hangs open downwards."""
    ahead = np.array([*world.facing, 0.0])
    leaf, angle = open_leaf(find_panel(thing.points, thing.eye), ahead, world.around(thing))
    whole = angle
    if leaf.kind == "drop":
        world.bring_within_reach(leaf.place(0.9, 0.0), -ahead)
        angle = _lift(world, leaf, ahead)
    shove = _shove(world, leaf, whole, angle)
    if leaf.kind == "side" and not _at_hand(world, shove):
        _back_away(world, shove, float(np.percentile(thing.points[:, 2], 2)))
        world.bring_within_reach((shove.way[0] + shove.way[-1]) / 2, -ahead)
        shove = _shove(world, leaf, whole, angle)
    line_up(world, [shove.way[0] - 0.10 * shove.hand[:, 2], shove.way[0]], shove.hand)
    pushed = push_through(world, shove.way[1:], shove.hand)
    left = max(0.0, _angle(leaf, tips(world), shove.way[-1]) * -1.0)
    back_off(world, -shove.hand[:, 2])
    done = whole - left
    if world.state.success:
        return ContactResult(ok=True, angle_rad=done)
    if looks_open(world, thing, ahead):
        return failed("it still stands open; the fingers slipped past it")
    if pushed.status == "reached" or left < ALMOST_RAD:
        return ContactResult(ok=True, angle_rad=done)
    return failed(
        f"it stopped {left:.2f} rad before it was shut: {pushed.detail or pushed.status}", angle_rad=done
    )


def looks_open(world: World, thing: Found, ahead: NDArray[np.float64]) -> bool:
    """Whether a door, as it is seen now, does not lie in the front that is looked at along `ahead` (3,)."""
    seen = [
        other
        for other in world.find(thing.label)
        if np.linalg.norm(other.middle - thing.middle) < NEAR_DOOR_M
    ]
    return bool(seen) and abs(float(find_panel(seen[0].points, seen[0].eye).normal @ ahead)) < IN_FRONT


@dataclass(frozen=True, kw_only=True, slots=True)
class Shove:
    """How closed fingers push a door along its arc."""

    way: list[NDArray[np.float64]]
    """Places (3,) of the finger tips: before the door, and along its arc."""
    hand: NDArray[np.float64]
    """(3, 3)."""


def _at_hand(world: World, shove: Shove) -> bool:
    """Whether the arm can push from where the robot stands: all of the way lies well before it."""
    ahead = min(float((place - world.base)[:2] @ world.facing) for place in shove.way)
    return ahead > BEFORE_ROBOT_M and miss(world, shove.way[::3], shove.hand) < REACHED


def _back_away(world: World, shove: Shove, lowest: float) -> None:
    """Draw the hand from under an open door that ends at a height, and drive back from it without lifting the hand."""
    if not can_drive(world):
        return
    nearest = min(float((place - world.base)[:2] @ world.facing) for place in shove.way)
    here = np.array(world.state.eef_position)
    low = np.array([*here[:2], min(here[2], lowest - UNDER_M)])
    if low[2] > world.base[2] + UNDER_M:
        world.move([{"position": low, "gripper": "close"}], PUSHING)
    drive_along(world, -max(0.0, WORK_M - nearest) * world.facing)


def _shove(world: World, leaf: Leaf, seen: float, begin: float) -> Shove:
    """Return how a door is pushed shut that was seen open by one angle and now stands open by another."""
    ahead = np.array([*world.facing, 0.0])
    share = 1.0 - NEAR_EDGE_M / leaf.width_m
    before = leaf.place(share, begin - seen, APART_M)
    way = [before, *(leaf.place(share, step - seen, OUTSIDE_M) for step in _angles(begin, -BEYOND_RAD))]
    hand = _best(world, [_dipped(ahead, dip) for dip in DIPS], np.cross(UP, ahead), way)
    return Shove(way=way, hand=hand)


def _lift(world: World, leaf: Leaf, ahead: NDArray[np.float64]) -> float:
    """Take a drop-down door by its free edge and lift it; returns the angle at which it is let go."""
    edge = leaf.place(1.0, 0.0, 0.012)
    if not take(world, Grip(place=edge + 0.012 * ahead, out=-ahead, closing=UP)):
        _let_go(world, -ahead)
        return math.pi / 2
    start, hand = tips(world), hand_now(world)
    angles = _angles(0.0, RELEASED_RAD - math.pi / 2)
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way), speed_m=PULL_STEP_M)
    reached = abs(_angle(leaf, tips(world), start))
    _let_go(world, -hand_now(world)[:, 2])
    return math.pi / 2 - reached


def _following(
    world: World,
    leaf: Leaf,
    hand: NDArray[np.float64],
    angles: Sequence[float],
    way: Sequence[NDArray[np.float64]],
) -> list[NDArray[np.float64]]:
    """Return the hand's orientations on an arc: turning with the door as far as the wrist can."""
    choices = [
        [rotations.about(leaf.axis, share * angle) @ hand for angle in angles]
        for share in (1.0, 0.6, 0.3, 0.0)
    ]
    return choices[hand_choices(world, [way] * len(choices), choices)[0]]


def _best(
    world: World,
    approaches: Sequence[NDArray[np.float64]],
    closing: NDArray[np.float64],
    way: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    hands = both_hands(world, approaches, closing)
    return hands[hand_choices(world, [way[:: max(1, len(way) // 4)]] * len(hands), hands)[0]]


def _dipped(level: NDArray[np.float64], dip: float) -> NDArray[np.float64]:
    return level * math.cos(dip) - UP * math.sin(dip)


def _angles(begin: float, end: float) -> list[float]:
    """Return the angles of an arc's places, without the first one."""
    count = max(1, math.ceil(abs(end - begin) / STEP_RAD))
    return [begin + (end - begin) * (step + 1) / count for step in range(count)]


def _angle(leaf: Leaf, place: NDArray[np.float64], begin: NDArray[np.float64]) -> float:
    """Return the angle about the hinge from one place (3,) to another, positive where the door opens."""
    one, other = (_square(leaf.axis, point - leaf.hinge) for point in (begin, place))
    return float(math.atan2(leaf.axis @ np.cross(one, other), one @ other))


def _square(axis: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector - (vector @ axis) * axis


def _let_go(world: World, away: NDArray[np.float64]) -> None:
    """Open the fingers and back off."""
    here = np.array(world.state.eef_position)
    world.move([{"position": here, "gripper": AROUND, "steps": 6}], {**PUSHING, "position_tolerance_m": 0.03})
    back_off(world, away, 0.12)
