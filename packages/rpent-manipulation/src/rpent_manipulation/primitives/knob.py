"""Turning a knob on any panel: the fingers go across its grip, and the hand turns about the knob's axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud, rotations
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.controls import UP, outward, pointing
from rpent_manipulation.primitives.base import brought
from rpent_manipulation.primitives.contact import ContactResult, failed, unsure
from rpent_manipulation.primitives.fingers import PUSHING, choose, go, line_up, tips_at
from rpent_manipulation.primitives.looking import same_control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

KnobDirection = Literal["on", "off", "increase", "decrease", "clockwise", "counterclockwise"]

SENSES: dict[KnobDirection, tuple[float, ...]] = {
    "on": (-1.0, 1.0),
    "off": (1.0, -1.0),
    "increase": (-1.0, 1.0),
    "decrease": (1.0, -1.0),
    "clockwise": (-1.0,),
    "counterclockwise": (1.0,),
}
"""Which way the hand turns, first and where that does not turn it; counterclockwise from the front is positive."""

TURN_RAD = 1.2
"""How far a knob is turned where no angle is given."""

OFF_RAD = 2.6
"""Likewise when it is turned off: until it stops."""

FELT_RAD = 0.3
"""A knob that the hand turned less than this was turned against its stop, or not at all."""

GRIP_M = 0.012
"""What is within this of a knob's outermost point is its grip."""

LONG = 1.4
"""A grip that is longer than wide by this factor is taken across its narrow side."""

DEPTHS_M = (0.012, 0.018, 0.008)
"""How far past the knob's outermost point the finger tips reach, for one attempt after the other."""

BACK_M = 0.16
APART = -0.4
"""Commanded width with which the fingers go around a knob."""

TILTS = tuple(math.radians(angle) for angle in (0, 20, 35, 50, 65))
"""How far the hand leans up from the knob's axis: the wrist cannot come in level everywhere."""

STEP_RAD = 0.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Knob:
    """A knob as it is seen."""

    middle: NDArray[np.float64]
    """(3,) of its outer end."""
    axis: NDArray[np.float64]
    """(3,) unit vector out of the panel."""
    grip: NDArray[np.float64] | None
    """(3,) unit vector along its grip, None for a round one."""


def find_knob(points: Points, axis: NDArray[np.float64]) -> Knob:
    """Return where a knob's outer end is and how its grip lies."""
    outermost = float(np.percentile(points @ axis, 98))
    end = points[points @ axis > outermost - GRIP_M]
    middle = cloud.extent(points).middle
    middle = middle + (outermost - middle @ axis) * axis
    flat = end - np.outer(end @ axis, axis)
    _, spread, axes = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
    bar = len(end) >= 8 and spread[0] > LONG * max(float(spread[1]), 1e-6)
    return Knob(middle=middle, axis=axis, grip=axes[0] if bar else None)


def turn_knob(
    world: World,
    thing: Found,
    direction: KnobDirection = "on",
    angle_rad: float | None = None,
    attempt: int = 0,
) -> ContactResult:
    """Turn a knob about its own axis.

    Args:
        world: The scene.
        thing: The knob.
        direction: The sense as seen from its front; `on` and `off` try one sense, and the other where the first one
            does not turn.
        angle_rad: How far; left out, far enough to be on, or until it stops.
        attempt: Counted up, the hand comes in tilted differently, takes more or less of the knob, or stands beside.
    """
    axis = outward(thing.points, world.around(thing), thing.eye)
    thing = brought(world, thing, thing.middle, axis, attempt)
    total = angle_rad or (OFF_RAD if direction == "off" else TURN_RAD)
    turned = Turned()
    for sense in SENSES[direction]:
        turned = _rounds(world, thing, axis, sense * total, attempt)
        if world.state.success:
            return ContactResult(ok=True, angle_rad=turned.by_rad)
        if turned.slipped or abs(turned.by_rad) > min(FELT_RAD, total / 2):
            break
    if abs(turned.by_rad) <= (total / 2 if turned.slipped else min(FELT_RAD, total / 2)):
        why = "the fingers slipped off it" if turned.slipped else "it is at its stop, or held fast"
        return failed(
            f"it turned by {turned.by_rad:.2f} rad only: {why}", angle_rad=turned.by_rad, seen=turned.seen
        )
    if not turned.seen:
        return unsure(f"the hand turned by {turned.by_rad:.2f} rad", angle_rad=turned.by_rad)
    return ContactResult(ok=True, angle_rad=turned.by_rad, seen=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turned:
    """How far a knob has turned, or where its grip cannot be seen, the hand that held it."""

    by_rad: float = 0.0
    seen: bool = True
    slipped: bool = False
    """The fingers no longer held it at the end: the other sense would do no better."""


def _rounds(world: World, thing: Found, axis: NDArray[np.float64], angle_rad: float, attempt: int) -> Turned:
    """Turn by an angle, gripping anew where the wrist's range ends, until the knob no longer follows."""
    turned = Turned()
    while abs(angle_rad) - abs(turned.by_rad) > FELT_RAD and not world.state.success:
        left = math.copysign(min(abs(angle_rad) - abs(turned.by_rad), TURN_RAD), angle_rad)
        before = _knob_now(world, thing, axis)
        followed = _twist(world, before or find_knob(thing.points, axis), left, attempt)
        after = None if world.state.success else _knob_now(world, thing, axis)
        really = grip_turned(before, after)
        came = (followed or 0.0) if really is None else really
        turned = Turned(
            by_rad=turned.by_rad + came,
            seen=turned.seen and really is not None,
            slipped=followed is None,
        )
        if turned.slipped or abs(came) < FELT_RAD:
            break
    return turned


def _knob_now(world: World, thing: Found, axis: NDArray[np.float64]) -> Knob | None:
    now = same_control(world, thing)
    return None if now is None else find_knob(now.points, axis)


def grip_turned(before: Knob | None, after: Knob | None) -> float | None:
    """Return by which angle, at most a quarter turn, a knob's grip has turned about its axis; None: it is not seen."""
    if before is None or after is None or before.grip is None or after.grip is None:
        return None
    sine = float(before.axis @ np.cross(before.grip, after.grip))
    cosine = float(before.grip @ after.grip)
    return math.atan(sine / cosine) if abs(cosine) > 1e-9 else math.pi / 2


def _twist(world: World, knob: Knob, angle_rad: float, attempt: int) -> float | None:
    """Grip the knob, turn the hand about its axis, let go, back off; returns by which angle, None when it slipped."""
    place = knob.middle - DEPTHS_M[attempt % len(DEPTHS_M)] * knob.axis
    rotation = _orientation(world, knob, place, angle_rad, attempt)
    back = place - BACK_M * rotation[:, 2]
    line_up(world, [back, place - 0.05 * rotation[:, 2]], rotation, APART)
    go(world, [tips_at(place, rotation, width=APART, speed_m=0.025)], PUSHING)
    closing = tips_at(place, rotation)
    closing["steps"] = 10
    go(world, [closing], {**PUSHING, "position_tolerance_m": 0.03})
    before = world.hand_rotation
    way = [tips_at(place, turned) for turned in _turns(rotation, knob.axis, angle_rad)]
    go(
        world,
        way,
        {**PUSHING, "position_tolerance_m": 0.03, "rotation_tolerance_rad": 0.15, "max_steps": 200},
    )
    held = world.state.gripper_opening_m > gripper.HELD_OPENING
    turned = float(rotations.rotation_vector(world.hand_rotation @ before.T) @ knob.axis)
    here = np.array(world.state.eef_position)
    go(world, [{"position": here, "gripper": APART, "steps": 6}], {**PUSHING, "position_tolerance_m": 0.03})
    go(world, [{"position": here - BACK_M * world.hand_rotation[:, 2], "gripper": "hold"}], PUSHING)
    return turned if held else None


def _orientation(
    world: World, knob: Knob, place: NDArray[np.float64], angle_rad: float, attempt: int
) -> NDArray[np.float64]:
    """Return the hand's orientation (3, 3) across the grip from which the wrist can turn by the angle."""
    across = _across(knob)
    choices = []
    for tilt in TILTS:
        approach = -knob.axis * math.cos(tilt) - UP * math.sin(tilt) if abs(knob.axis @ UP) < 0.7 else -UP
        first = pointing(approach, across)
        choices += [first, first @ np.diag([-1.0, -1.0, 1.0])]
    ends = [[choice, _turns(choice, knob.axis, angle_rad)[-1]] for choice in choices]
    return choices[choose(world, [[place, place]] * len(choices), ends, attempt)]


def _across(knob: Knob) -> NDArray[np.float64]:
    """Return the direction (3,) in which the fingers close: across the grip, else level."""
    if knob.grip is not None:
        return np.cross(knob.axis, knob.grip)
    level = np.cross(UP, knob.axis)
    return level if np.linalg.norm(level) > 0.1 else np.array([0.0, 1.0, 0.0])


def _turns(
    rotation: NDArray[np.float64], axis: NDArray[np.float64], angle_rad: float
) -> Sequence[NDArray[np.float64]]:
    """Return orientations (3, 3) on the way of a turn about an axis."""
    count = max(1, math.ceil(abs(angle_rad) / STEP_RAD))
    return [rotations.about(axis, angle_rad * (step + 1) / count) @ rotation for step in range(count)]
