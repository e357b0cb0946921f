"""Doors on a hinge: drawn open by the handle, then swung by their edge; pushed or lifted shut along their arc."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.hinges import Leaf, find_panel, open_leaf, shut_leaf
from rpent_manipulation.primitives.contact import ContactResult, failed
from rpent_manipulation.primitives.fingers import (
    PUSHING,
    back_off,
    both_hands,
    hand_choices,
    hand_now,
    line_up,
    push_through,
    tips,
)
from rpent_manipulation.primitives.slide import AROUND, Grip, take

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

OUTSIDE_M = 0.012
"""From the outer side to the middle of fingers before it: they are pressed against it."""

APART_M = 0.08
"""Free space before fingers touch a door."""

DIPS = tuple(math.radians(angle) for angle in (20, 40, 60, 0, 80))
RELEASED_RAD = 0.6
"""A drop-down door is lifted by its edge to here, and pushed from there."""

ENOUGH = 0.6
"""Share of an arc after which a door counts as moved where the benchmark does not say so."""


def open_door(world: World, thing: Found, angle_rad: float = OPEN_RAD) -> ContactResult:
    """Open a door by its handle: about an upright edge, or downwards when the handle lies along its upper edge."""
    panel = find_panel(thing.points, thing.eye)
    if panel.handle is None:
        return failed("no handle stands out from it")
    leaf = shut_leaf(panel)
    world.bring_within_reach(panel.handle, leaf.outside)
    closing = panel.across if panel.upright else UP
    if not take(world, Grip(place=panel.handle - 0.01 * leaf.outside, out=leaf.outside, closing=closing)):
        _let_go(world, leaf.outside)
        return failed("the fingers closed beside the handle")
    start, hand = tips(world), hand_now(world)
    angles = _angles(0.0, min(AJAR_RAD, angle_rad))
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way))
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
    inside = -INSIDE_M if leaf.kind == "side" else -APART_M
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
    panel = find_panel(thing.points, thing.eye)
    leaf, angle = open_leaf(panel, ahead, world.around(thing))
    world.bring_within_reach(_stand_for(leaf, angle), -ahead)
    if leaf.kind == "drop":
        angle = _lift(world, leaf, ahead)
    share = 1.0 - NEAR_EDGE_M / leaf.width_m
    angles = _angles(angle, -BEYOND_RAD)
    turned = [step - angle if leaf.kind == "side" else step - math.pi / 2 for step in angles]
    first = angle - (angle if leaf.kind == "side" else math.pi / 2)
    way = [leaf.place(share, step, OUTSIDE_M) for step in turned]
    before = leaf.place(share, first, APART_M)
    hand = _best(world, [_dipped(ahead, dip) for dip in DIPS], np.cross(UP, ahead), [before, *way])
    line_up(world, [before - 0.10 * hand[:, 2], before], hand)
    pushed = push_through(world, way, hand)
    left = max(0.0, _angle(leaf, tips(world), leaf.place(share, turned[-1], OUTSIDE_M)))
    back_off(world, -hand[:, 2])
    done = angle - left
    if world.state.success or pushed.status == "reached" or left < 0.2:
        return ContactResult(ok=True, angle_rad=done)
    return failed(
        f"it stopped {left:.2f} rad before it was shut: {pushed.detail or pushed.status}", angle_rad=done
    )


def _stand_for(leaf: Leaf, angle: float) -> NDArray[np.float64]:
    """Return the point (3,) before which the robot stands to shut a door: between its open and its shut edge."""
    if leaf.kind == "drop":
        return leaf.place(0.9, 0.0)
    return np.asarray((leaf.place(0.9, 0.0) + leaf.place(0.9, -angle)) / 2)


def _lift(world: World, leaf: Leaf, ahead: NDArray[np.float64]) -> float:
    """Take a drop-down door by its free edge and lift it; returns the angle at which it is let go."""
    edge = leaf.place(1.0, 0.0, 0.012)
    if not take(world, Grip(place=edge + 0.012 * ahead, out=-ahead, closing=UP)):
        _let_go(world, -ahead)
        return math.pi / 2
    start, hand = tips(world), hand_now(world)
    angles = _angles(0.0, RELEASED_RAD - math.pi / 2)
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way))
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
