"""Drawers and racks: drawn out by their handle or front edge, or pushed in until they stop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.fronts import HANDLE_RADIUS
from rpent_manipulation.planning.hinges import BAR_M, find_panel
from rpent_manipulation.primitives.base import brought, drive_along
from rpent_manipulation.primitives.contact import ContactResult, failed, unsure
from rpent_manipulation.primitives.fingers import (
    HALF_FLAT_M,
    PUSHING,
    back_off,
    both_hands,
    choose,
    go,
    line_up,
    push_through,
    tips,
    tips_at,
)
from rpent_manipulation.primitives.looking import slid

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

DRAW_M = 0.75
"""How far a drawer is drawn where no distance is given: until it stops."""

PUSH_M = 0.75
"""Likewise pushed in."""

ARM_M = 0.10
"""How much of it the arm does; the base does the rest."""

PULL_STEP_M = 0.01
"""Displacement commanded per control step while something is held: faster it slips out of the fingers."""

ENOUGH_M = 0.05
"""A drawer that came this far and then stopped counts as moved to its end."""

ROOM_M = 0.15
"""The robot stands so much farther from what it draws out: low handles are taken with a stretched arm."""

HOOKS = tuple(math.radians(angle) for angle in (60, 50, 75, 40, 85))
"""Likewise behind a rack's front edge."""

BAR_HOOKS = tuple(math.radians(angle) for angle in (55, 50, 60))
"""How far the hand leans from straight ahead when its closed fingers go behind a bar."""

STEEP_HOOKS = tuple(math.radians(angle) for angle in (70, 75, 65, 60))
"""Likewise behind a door's bar, over which no counter stands out: a steep finger does not ride up on it."""

DEEP_M = 0.03
"""How far a steep finger reaches past the middle of the bar."""

HOOKING: Until = {**PUSHING, "position_tolerance_m": 0.008}
"""The finger tips come this near to where they hook: there is little room behind a bar."""

BEHIND_M = 0.028
"""From the middle of a bar to the middle of the gap behind it."""

LIP_M = 0.012
"""How thick a rack's front edge is."""

HOOK_M = 0.015
"""How far the finger tips reach below its upper edge."""

APART_M = 0.05

TILTS = tuple(math.radians(angle) for angle in (0, 15, 30, 40, 45, 50, 60, 75))
"""How far the hand points below the horizontal at a handle, best first."""

DIPS = tuple(math.radians(angle) for angle in (15, 30, 45, 60, 75))
BEFORE_M = 0.08
BACK_M = 0.10
SPOTS = (0.5, 0.3, 0.7)
"""At these shares of its width a front is pushed, for one attempt after the other."""

BELOW_EDGE_M = 0.04
"""A front is pushed this far below its upper edge."""

HOLD_M = 0.012
"""How far the finger tips reach past the middle of a handle or over an edge."""


ALONG_BAR_M = (0.0, 0.03, -0.03)
"""A bar is taken so far beside its middle, for one attempt after the other."""

SAME_M = 0.12
"""A handle that is this near to what is seen of a drawer is the drawer's."""

AROUND = -0.2
"""Commanded width with which the fingers go around a bar."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grip:
    """Where a drawer or rack is taken."""

    place: NDArray[np.float64]
    """(3,) middle of the bar or edge."""
    out: NDArray[np.float64]
    """(3,) horizontal unit vector out of the cabinet."""
    closing: NDArray[np.float64]
    """(3,) across the bar."""
    lip: bool = False
    """There is no bar: `place` is on the upper edge of a rack's front, which the finger tips hook from behind."""

    free: bool = False
    """Nothing stands out over the bar: a steep hand comes to it."""

    @property
    def hooks(self) -> tuple[float, ...]:
        """How far the hand leans from straight ahead when it hooks this, radians, best first."""
        return HOOKS if self.lip else STEEP_HOOKS if self.free else BAR_HOOKS

    @property
    def depth_m(self) -> float:
        """How far the finger tips reach past `place` when they hook it."""
        return HOOK_M if self.lip else DEEP_M if self.free else 0.0

    @property
    def level(self) -> bool:
        """Whether the bar or edge is horizontal."""
        return bool(abs(self.closing @ UP) > 0.5)

    def along_bar(self, attempt: int) -> NDArray[np.float64]:
        """Return the place (3,) on the bar or edge where an attempt takes it."""
        return self.place + ALONG_BAR_M[attempt % len(ALONG_BAR_M)] * np.cross(self.closing, self.out)


def open_drawer(
    world: World, thing: Found, distance_m: float | None = None, attempt: int = 0
) -> ContactResult:
    """Draw a drawer or rack out until it stops, or by a distance.

    Args:
        world: The scene.
        thing: The drawer or rack.
        distance_m: How far; left out, until it stops.
        attempt: Counted up, its bar is taken elsewhere and tilted differently, hooked from behind, or from beside.
    """
    grip = _grip_of(world, thing)
    now = brought(world, thing, grip.place + ROOM_M * grip.out, grip.out, attempt)
    if now is not thing:
        thing, grip = now, _grip_of(world, now)
    held = seize(world, grip, attempt)
    wanted = distance_m or DRAW_M
    start = tips(world)
    push_through(world, [start + min(wanted, ARM_M) * grip.out], world.hand_rotation, speed_m=PULL_STEP_M)
    drive_along(world, (wanted - min(wanted, ARM_M)) * grip.out[:2])
    went = float((tips(world) - start) @ grip.out)
    kept = held and world.state.gripper_opening_m > gripper.HELD_OPENING
    _let_go(world, grip.out)
    why = "it is blocked" if kept else "the fingers slipped off it"
    return _slid(world, thing, grip.out, went_m=went, wanted_m=wanted, why=why)


def _grip_of(world: World, thing: Found) -> Grip:
    return find_grip(thing.points, thing.eye, world.facing, handle_of(world, thing))


def _slid(
    world: World, thing: Found, along: NDArray[np.float64], *, went_m: float, wanted_m: float, why: str
) -> ContactResult:
    """Return how far a drawer has come as it is seen now, whatever the hand did."""
    if world.state.success:
        return ContactResult(ok=True, moved_m=went_m)
    came = slid(world, thing, along)
    if came is None:
        return unsure(f"the hand went {went_m:.3f} m", went_m)
    came = max(came, 0.0)
    if came >= min(ENOUGH_M, wanted_m / 2):
        return ContactResult(ok=True, moved_m=came, seen=True)
    return failed(f"it came {came:.3f} m only: {why}", came, seen=True)


def close_drawer(
    world: World, thing: Found, distance_m: float | None = None, attempt: int = 0
) -> ContactResult:
    """Push a drawer or rack in until it stops, or by a distance.

    Args:
        world: The scene.
        thing: The drawer or rack.
        distance_m: How far; left out, until it stops.
        attempt: Counted up, it is pushed to the left or right of its middle, with the hand tilted differently.
    """
    into = -front_normal(thing.points, world.facing)
    thing = brought(world, thing, front_middle(thing.points, into), -into, attempt)
    contact = front_middle(thing.points, into, SPOTS[attempt % len(SPOTS)])
    approaches = [into * math.cos(dip) - UP * math.sin(dip) for dip in DIPS]
    hands = both_hands(world, approaches, np.cross(UP, into))
    before = contact - BEFORE_M * into
    ways = [[before - BACK_M * hand[:, 2], before, contact + ARM_M * into] for hand in hands]
    best = choose(world, ways, hands, attempt)
    line_up(world, ways[best][:2], hands[best])
    wanted = distance_m or PUSH_M
    pushed = push_through(world, [contact, contact + min(wanted, 2 * ARM_M) * into], hands[best])
    went = float((tips(world) - contact) @ into)
    if pushed.status == "reached" and not world.state.success:
        went += drive_along(world, (wanted - went) * into[:2])
        push_through(world, [tips(world) + 0.03 * into], hands[best])
    back_off(world, -hands[best][:, 2])
    why = pushed.detail or pushed.status
    return _slid(world, thing, into, went_m=max(went, 0.0), wanted_m=wanted, why=why)


def handle_of(world: World, thing: Found) -> Points | None:
    """Return the surface points (n, 3) of a thing's handle, when the perceptor finds one at it by that name."""
    if "rack" in thing.label.split():
        return None
    near = [
        (distance, handle)
        for handle in world.find(f"handle of the {thing.label}")
        if "handle" in handle.label.split() and (distance := _gap(handle.points, thing.points)) < SAME_M
    ]
    return min(near, key=lambda pair: pair[0])[1].points if near else None


def _gap(handle: Points, points: Points) -> float:
    """Return the distance from a handle's middle to the nearest point of a thing."""
    return float(np.linalg.norm(points - cloud.extent(handle).middle, axis=1).min())


def find_grip(
    points: Points, eye: NDArray[np.float64], facing: NDArray[np.float64], handle: Points | None = None
) -> Grip:
    """Return where a drawer is taken: its handle, or the front edge of what has none (a rack).

    Args:
        points: (n, 3) its visible surface.
        eye: (3,) where it was seen from.
        facing: (2,) where the robot looks.
        handle: (m, 3) the surface of its handle, where that is known by itself.
    """
    out = front_normal(points, facing)
    across = np.cross(UP, out)
    if handle is not None:
        front = float(np.percentile(handle @ out, 95))
        handle = handle[handle @ out > front - BAR_M]  # without what its outline's pixels show behind it
        box = [np.percentile(handle @ axis, [3, 97]) for axis in (across, UP)]
        upright = bool(np.ptp(box[1]) > np.ptp(box[0]))
        place = across * box[0].mean() + UP * box[1].mean() + out * (front - HANDLE_RADIUS)
        return Grip(place=place, out=out, closing=across if upright else UP)
    panel = find_panel(points, eye, out)
    if panel.handle is not None and panel.size[1] > 2 * BELOW_EDGE_M:
        return Grip(
            place=panel.handle - HANDLE_RADIUS * out, out=out, closing=across if panel.upright else UP
        )
    edge = points[points @ out > np.percentile(points @ out, 98) - 0.02]
    middle = cloud.extent(edge).middle
    middle = middle + (float(np.percentile(edge @ out, 95)) - LIP_M - middle @ out) * out
    return Grip(place=np.array([*middle[:2], cloud.top_height(edge)]), out=out, closing=UP, lip=True)


def front_normal(points: Points, facing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the horizontal direction (3,) out of a drawer's front: that side of its outline that faces the robot.

    Args:
        points: (n, 3) its visible surface.
        facing: (2,) where the robot looks.
    """
    best, found = math.inf, -np.array([*facing, 0.0])
    for angle in np.arange(-math.pi / 4, math.pi / 4, math.radians(2)):
        c, s = math.cos(angle), math.sin(angle)
        axis = -np.array([c * facing[0] - s * facing[1], s * facing[0] + c * facing[1], 0.0])
        across = np.array([-axis[1], axis[0], 0.0])
        area = float(np.prod([np.ptp(np.percentile(points @ each, [2, 98])) for each in (axis, across)]))
        if area < best * (1 - 1e-3) or (area < best and abs(angle) < 1e-9):
            best, found = area, axis
    return found


def front_middle(points: Points, into: NDArray[np.float64], share: float = 0.5) -> NDArray[np.float64]:
    """Return where a front is pushed (3,): at a share of its width, its middle, a little below its upper edge."""
    nearest = float(np.percentile(points @ into, 2))
    front = points[points @ into < nearest + 0.04]
    across = np.cross(UP, into)
    low, high = np.percentile(points @ across, [2, 98])
    middle = float(low + share * (high - low))
    top, bottom = cloud.top_height(front), float(np.percentile(front[:, 2], 2))
    height = max(top - BELOW_EDGE_M, (top + bottom) / 2)
    return np.asarray(across * middle + into * nearest + UP * height)


def seize(world: World, grip: Grip, attempt: int) -> bool:
    """Hook a bar or edge from behind, or take the bar between the fingers; returns whether the fingers hold it.

    A level bar is hooked first: nothing slips then, and from above there is room. An upright one is taken first. Every
    other attempt does it the other way; what the fingers do not get hold of is hooked too.
    """
    around = not grip.lip and (attempt + grip.level) % 2 == 0
    if around and take(world, grip, attempt // 2):
        return True
    if around:
        _let_go(world, grip.out)
    hook(world, grip, attempt // 2)
    return False


def take(world: World, grip: Grip, attempt: int = 0) -> bool:
    """Bring the open fingers around a bar from the front and close them; returns whether they hold it."""
    approaches = [-grip.out * math.cos(dip) - UP * math.sin(dip) for dip in TILTS]
    hands = both_hands(world, approaches, grip.closing)
    hands += [hand @ np.diag([-1.0, -1.0, 1.0]) for hand in hands]
    bar = grip.along_bar(attempt)
    before = bar + BEFORE_M * grip.out
    ways = [[before, bar + HOLD_M * hand[:, 2]] for hand in hands]
    best = choose(world, ways, hands, attempt)
    hand, place = hands[best], ways[best][1]
    line_up(world, [before + BACK_M * (grip.out + UP), before], hand, AROUND)
    go(world, [tips_at(place, hand, width=AROUND, speed_m=0.02)], PUSHING)
    closing = tips_at(tips(world), hand)
    closing["steps"] = 10
    go(world, [closing], {**PUSHING, "position_tolerance_m": 0.03})
    return world.state.gripper_opening_m > gripper.HELD_OPENING


def hook(world: World, grip: Grip, attempt: int = 0) -> None:
    """Bring closed finger tips behind a bar along the hand's axis, or down behind the front edge of a rack."""
    leans = [-UP] if grip.level else [grip.closing, -grip.closing]
    ways_in = [(dip, lean) for dip in grip.hooks for lean in leans]
    approaches = [lean * math.sin(dip) - grip.out * math.cos(dip) for dip, lean in ways_in]
    hands = both_hands(world, approaches, np.cross(grip.closing, grip.out))
    behind = grip.along_bar(attempt) - (HALF_FLAT_M if grip.lip else BEHIND_M) * grip.out
    ways = []
    for hand, (_, lean) in zip(hands, ways_in, strict=True):
        low = behind + grip.depth_m * lean
        ways.append([behind - APART_M * lean if grip.lip else low - APART_M * hand[:, 2], low])
    best = choose(world, ways, hands, attempt)
    hand, (before, low) = hands[best], ways[best]
    back = before + BACK_M * (grip.out + UP) if grip.lip else before - BACK_M * hand[:, 2]
    line_up(world, [back, before], hand)
    go(world, [tips_at(low, hand, speed_m=0.02)], HOOKING)


def _let_go(world: World, out: NDArray[np.float64]) -> None:
    """Open the fingers and back off."""
    here = np.array(world.state.eef_position)
    go(world, [{"position": here, "gripper": AROUND, "steps": 6}], {**PUSHING, "position_tolerance_m": 0.03})
    back_off(world, out + 0.3 * UP, 0.18)
