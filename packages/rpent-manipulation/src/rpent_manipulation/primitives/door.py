"""Doors on a hinge: drawn open by the handle, then swung by their edge; pushed or lifted shut along their arc."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.fronts import HANDLE_RADIUS
from rpent_manipulation.planning.hinges import about, find_panel, open_leaf, shut_leaf, with_handle
from rpent_manipulation.primitives.base import brought, can_drive, drive_along
from rpent_manipulation.primitives.contact import ContactResult, failed, unsure
from rpent_manipulation.primitives.fingers import (
    PUSHING,
    REACHED,
    back_off,
    both_hands,
    choose,
    go,
    line_up,
    miss,
    push_through,
    tips,
)
from rpent_manipulation.primitives.looking import swung
from rpent_manipulation.primitives.slide import (
    AROUND,
    PULL_STEP_M,
    ROOM_M,
    Grip,
    handle_of,
    seize,
    take,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_manipulation.planning.hinges import Leaf, Panel
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

EDGES_M = (0.05, 0.09, 0.03)
"""How far from its free edge a door is pushed, for one attempt after the other."""

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

ENOUGH = 0.6
"""Share of an arc after which a door counts as moved where the benchmark does not say so."""


def open_door(world: World, thing: Found, angle_rad: float = OPEN_RAD, attempt: int = 0) -> ContactResult:
    """Open a door by its handle: about an upright edge, or downwards when the handle lies along its upper edge.

    Args:
        world: The scene.
        thing: The door.
        angle_rad: How far; it stops earlier where the door does.
        attempt: Counted up, the handle is taken elsewhere, with the hand tilted differently, or from beside.
    """
    panel = _with_handle(world, thing)
    if panel.handle is None:
        return failed("no handle stands out from it")
    outside = panel.normal
    now = brought(world, thing, panel.handle + ROOM_M * outside, outside, attempt)
    if now is not thing:
        nearer = _with_handle(world, now)
        thing, panel = (now, nearer) if nearer.handle is not None else (thing, panel)
    leaf = shut_leaf(panel)
    seize(world, _grip(panel, leaf), attempt)
    reached = _draw_ajar(world, leaf, min(AJAR_RAD, angle_rad))
    if reached > AJAR_RAD / 3 and angle_rad > reached and not world.state.success:
        reached = max(reached, _swing_open(world, leaf, reached, angle_rad, attempt))
    return _opened(world, thing, leaf, reached, angle_rad)


def _with_handle(world: World, thing: Found) -> Panel:
    panel, handle = find_panel(thing.points, thing.eye), handle_of(world, thing)
    return panel if handle is None else with_handle(panel, handle)


def _grip(panel: Panel, leaf: Leaf) -> Grip:
    """Return where a door with a handle is taken."""
    assert panel.handle is not None
    closing = panel.across if panel.upright else UP
    return Grip(
        place=panel.handle - HANDLE_RADIUS * leaf.outside, out=leaf.outside, closing=closing, free=True
    )


def _draw_ajar(world: World, leaf: Leaf, end: float) -> float:
    """Draw a door by the handle that is held, and let go; returns the angle by which the hand came."""
    start, hand, angles = tips(world), world.hand_rotation, _angles(0.0, end)
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way), speed_m=PULL_STEP_M)
    reached = about(leaf, start, tips(world))
    _let_go(world, -world.hand_rotation[:, 2])
    return reached


def _opened(world: World, thing: Found, leaf: Leaf, reached: float, wanted: float) -> ContactResult:
    """Return how far a door stands open as it is seen now, whatever the hand did."""
    if world.state.success:
        return ContactResult(ok=True, angle_rad=reached)
    angle = swung(world, thing, leaf)
    if angle is None:
        return unsure(f"the hand went {reached:.2f} rad", angle_rad=reached)
    angle = max(angle, 0.0)
    if angle < ENOUGH * wanted:
        return failed(f"it opened by {angle:.2f} rad only", angle_rad=angle, seen=True)
    return ContactResult(ok=True, angle_rad=angle, seen=True)


def _swing_open(world: World, leaf: Leaf, begin: float, end: float, attempt: int) -> float:
    """Go behind the free edge of a door that is ajar and swing it open; returns the angle that was reached."""
    share = 1.0 - EDGES_M[attempt % len(EDGES_M)] / leaf.width_m
    beyond = 1.0 + APART_M / leaf.width_m
    inside = -ENTER_M if leaf.kind == "side" else -APART_M
    angles = _angles(begin, end)
    way = [leaf.place(share, angle, -OUTSIDE_M if angle > begin else inside) for angle in [begin, *angles]]
    way[1:] = [leaf.place(share, angle, -INSIDE_M) for angle in angles]
    hands = _behind(world, leaf, begin, way, attempt)
    away = leaf.place(beyond, begin, inside) - 0.06 * hands[:, 2]
    line_up(world, [away, leaf.place(beyond, begin, inside)], hands)
    push_through(world, way, hands)
    reached = about(leaf, leaf.place(share, 0.0, -INSIDE_M), tips(world))
    back_off(world, -hands[:, 2])
    return reached


def _behind(
    world: World, leaf: Leaf, begin: float, way: Sequence[NDArray[np.float64]], attempt: int
) -> NDArray[np.float64]:
    """Return the hand's orientation (3, 3) behind a door's edge: between along the door and straight ahead."""
    along = -rotations.about(leaf.axis, begin) @ leaf.arm / leaf.width_m
    if leaf.kind == "drop":
        dips = (*DIPS[2:], *DIPS[:2])
        return _best(world, [_dipped(-leaf.outside, dip) for dip in dips], leaf.axis, way, attempt)
    approaches = []
    for share in (0.5, 0.8, 0.2):
        level = (1 - share) * along - share * leaf.outside
        approaches += [_dipped(level / np.linalg.norm(level), dip) for dip in DIPS[:4]]
    return _best(world, approaches, UP, way, attempt)


def close_door(world: World, thing: Found, attempt: int = 0) -> ContactResult:
    """Shut an open door: pushed on its outer side, or lifted by its edge when it hangs open downwards.

    Args:
        world: The scene.
        thing: The door.
        attempt: Counted up, it is pushed nearer to or farther from its edge, with the hand tilted differently.
    """
    ahead = np.array([*world.facing, 0.0])
    leaf, angle = open_leaf(find_panel(thing.points, thing.eye), ahead, world.around(thing))
    whole = angle
    if leaf.kind == "drop":
        world.bring_within_reach(leaf.place(0.9, 0.0), -ahead)
        angle = _lift(world, leaf, ahead, attempt)
    shove = _shove(world, leaf, whole, angle, attempt)
    if leaf.kind == "side" and not _at_hand(world, shove):
        _back_away(world, shove, float(np.percentile(thing.points[:, 2], 2)))
        world.bring_within_reach((shove.way[0] + shove.way[-1]) / 2, -ahead)
        shove = _shove(world, leaf, whole, angle, attempt)
    line_up(world, [shove.way[0] - 0.10 * shove.hand[:, 2], shove.way[0]], shove.hand)
    pushed = push_through(world, shove.way[1:], shove.hand)
    left = max(0.0, -about(leaf, shove.way[-1], tips(world)))
    back_off(world, -shove.hand[:, 2])
    how = pushed.detail or pushed.status
    return _shut(world, thing, leaf, whole=whole, reached=whole - left, how=how)


def _shut(world: World, thing: Found, leaf: Leaf, *, whole: float, reached: float, how: str) -> ContactResult:
    """Return how far a door that stood open by `whole` has turned as it is seen now, whatever the hand did."""
    if world.state.success:
        return ContactResult(ok=True, angle_rad=reached)
    angle = swung(world, thing, leaf, whole)
    if angle is None:
        return unsure(f"the hand went {reached:.2f} rad", angle_rad=reached)
    if whole + angle < ALMOST_RAD:
        return ContactResult(ok=True, angle_rad=-angle, seen=True)
    return failed(f"it still stands open by {whole + angle:.2f} rad: {how}", angle_rad=-angle, seen=True)


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
        go(world, [{"position": low, "gripper": "close"}], PUSHING)
    drive_along(world, -max(0.0, WORK_M - nearest) * world.facing)


def _shove(world: World, leaf: Leaf, seen: float, begin: float, attempt: int) -> Shove:
    """Return how a door is pushed shut that was seen open by one angle and now stands open by another."""
    ahead = np.array([*world.facing, 0.0])
    share = 1.0 - EDGES_M[attempt % len(EDGES_M)] / leaf.width_m
    before = leaf.place(share, begin - seen, APART_M)
    way = [before, *(leaf.place(share, step - seen, OUTSIDE_M) for step in _angles(begin, -BEYOND_RAD))]
    hand = _best(world, [_dipped(ahead, dip) for dip in DIPS], np.cross(UP, ahead), way, attempt)
    return Shove(way=way, hand=hand)


def _lift(world: World, leaf: Leaf, ahead: NDArray[np.float64], attempt: int) -> float:
    """Take a drop-down door by its free edge and lift it; returns the angle at which it is let go."""
    edge = leaf.place(1.0, 0.0, 0.012)
    if not take(world, Grip(place=edge + 0.012 * ahead, out=-ahead, closing=UP), attempt):
        _let_go(world, -ahead)
        return math.pi / 2
    start, hand = tips(world), world.hand_rotation
    angles = _angles(0.0, RELEASED_RAD - math.pi / 2)
    way = [leaf.hinge + rotations.about(leaf.axis, angle) @ (start - leaf.hinge) for angle in angles]
    push_through(world, way, _following(world, leaf, hand, angles, way), speed_m=PULL_STEP_M)
    reached = abs(about(leaf, start, tips(world)))
    _let_go(world, -world.hand_rotation[:, 2])
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
    return choices[choose(world, [way] * len(choices), choices)]


def _best(
    world: World,
    approaches: Sequence[NDArray[np.float64]],
    closing: NDArray[np.float64],
    way: Sequence[NDArray[np.float64]],
    attempt: int,
) -> NDArray[np.float64]:
    hands = both_hands(world, approaches, closing)
    return hands[choose(world, [way[:: max(1, len(way) // 4)]] * len(hands), hands, attempt)]


def _dipped(level: NDArray[np.float64], dip: float) -> NDArray[np.float64]:
    return level * math.cos(dip) - UP * math.sin(dip)


def _angles(begin: float, end: float) -> list[float]:
    """Return the angles of an arc's places, without the first one."""
    count = max(1, math.ceil(abs(end - begin) / STEP_RAD))
    return [begin + (end - begin) * (step + 1) / count for step in range(count)]


def _let_go(world: World, away: NDArray[np.float64]) -> None:
    """Open the fingers and back off."""
    here = np.array(world.state.eef_position)
    go(world, [{"position": here, "gripper": AROUND, "steps": 6}], {**PUSHING, "position_tolerance_m": 0.03})
    back_off(world, away, 0.12)
