"""Pressing a button, switch or lever with closed finger tips."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.planning.controls import UP, outward
from rpent_manipulation.primitives.base import brought
from rpent_manipulation.primitives.fingers import (
    PUSHING,
    TOUCH_N,
    both_hands,
    choose,
    go,
    line_up,
    tips,
    tips_at,
)
from rpent_manipulation.primitives.looking import gave_way

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

PressDirection = Literal["auto", "in", "down", "up"]

BEFORE_M = 0.05
"""The finger tips line up this far before a control."""

BACK_M = 0.16
"""They come from there, and go back there: benchmarks ask that the hand ends more than 0.15 m away."""

NEAR_END_M = 0.008
"""What is pressed down is met this far from its near end."""

BEYOND_M = 0.05
"""How far past the control's surface the tips are sent: it stops them."""

LEVER_M = 0.10
"""Likewise for what is pressed down over a whole slot."""

PRESSED_DOWN = ("lever", "switch")
"""Controls that are pressed down rather than in, by their names."""

GIVES_M = 0.015
"""A lever that went by less than this was touched, not pressed: it has a slot to go down."""

GIVING = "lever"
"""What must give way, by its name; for a button or switch, which may spring back, a touch counts."""

FACE_M = 0.008
"""What is within this of a control's nearest point is the face that is pressed."""

STEEP = 0.7
"""Presses whose direction is more upright than this come from above or below."""

DIPS = tuple(math.radians(angle) for angle in (15, 30, 45, 60, 80))
"""How far the hand points below the direction of the press, best first: the wrist cannot come in level everywhere."""

LEANS = tuple(math.radians(angle) for angle in (30, 45, 60, 75, 90))
"""Likewise below the horizontal, for what is pressed down: from the front, under what may hang above it."""

PRESSING: Until = {**PUSHING, "max_steps": 60, "stall_steps": 8}


@dataclass(frozen=True, kw_only=True, slots=True)
class PressResult:
    """How a press ended."""

    ok: bool
    touched: bool
    pressed_m: float
    """How far the finger tips went with or into the control after they met it; of a lever: how far it is down."""
    reason: str = ""
    seen: bool | None = None
    """Whether a lever was seen again afterwards; None for what only needs a touch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke:
    """A straight press."""

    contact: NDArray[np.float64]
    """(3,) where the finger tips meet the control."""
    along: NDArray[np.float64]
    """(3,) unit vector of the press."""
    rotation: NDArray[np.float64]
    """(3, 3) of the hand."""
    beyond_m: float

    @property
    def way_in(self) -> list[NDArray[np.float64]]:
        """The places (3,) of the finger tips on the way to where they line up."""
        before = self.contact - BEFORE_M * self.along
        return [before - BACK_M * self.rotation[:, 2], before]


def press(world: World, thing: Found, direction: PressDirection = "auto", attempt: int = 0) -> PressResult:
    """Press a control and withdraw.

    Args:
        world: The scene.
        thing: The button, switch or lever.
        direction: `in` into the panel that it sits on, `down` or `up`; `auto` decides by its name.
        attempt: Counted up, the hand comes in tilted differently and meets the control at another spot.
    """
    around = world.around(thing)
    given = _given(thing.label, direction)
    along = -outward(thing.points, around, thing.eye) if given is None else given
    thing = brought(world, thing, thing.middle, -along)
    pressed = strike(world, plan(world, thing, along, attempt))
    if GIVING not in thing.label.split() or world.state.success:
        return pressed
    return judged(pressed, gave_way(world, thing, along))


def judged(pressed: PressResult, gave_m: float | None) -> PressResult:
    """Return the result of pressing a lever that was then seen to have gone so far, or is out of sight (None)."""
    if gave_m is None:
        reason = (
            pressed.reason
            or f"out of sight now, so not known; the finger tips went {pressed.pressed_m:.3f} m"
        )
        return replace(pressed, ok=False, reason=reason, seen=False)
    if gave_m >= GIVES_M:
        return replace(pressed, ok=True, touched=True, pressed_m=gave_m, reason="", seen=True)
    reason = pressed.reason or f"it was touched but went {max(gave_m, 0.0):.3f} m only"
    return replace(pressed, ok=False, pressed_m=max(gave_m, 0.0), reason=reason, seen=True)


def _given(label: str, direction: PressDirection) -> NDArray[np.float64] | None:
    """Return the direction (3,) that is asked for, or that a control's name tells; None to look at its panel."""
    if direction == "auto" and any(word in label.split() for word in PRESSED_DOWN):
        direction = "down"
    return {"down": -UP, "up": UP}.get(direction)


def plan(world: World, thing: Found, along: NDArray[np.float64], attempt: int = 0) -> Stroke:
    """Return where and how a control is pressed along a direction (3,), with a hand that the arm can bring there."""
    depths = thing.points @ along
    front = float(np.percentile(depths, 5))
    face = thing.points[depths < front + FACE_M]
    contact = cloud.extent(face).middle
    upright = abs(along @ UP) > STEEP
    level = np.array([*world.facing, 0.0]) if upright else along
    if upright:  # its near end: what it sticks out of is in the way further in
        contact = contact + (float(np.percentile(face @ level, 5)) + NEAR_END_M - contact @ level) * level
    contact = contact + (front - contact @ along) * along
    approaches = [level * math.cos(dip) - UP * math.sin(dip) for dip in (LEANS if upright else DIPS)]
    orientations = both_hands(world, approaches, np.cross(UP, level))
    strokes = [
        Stroke(contact=contact, along=along, rotation=rotation, beyond_m=LEVER_M if upright else BEYOND_M)
        for rotation in orientations
    ]
    return strokes[choose(world, [[*stroke.way_in, contact] for stroke in strokes], orientations, attempt)]


def strike(world: World, stroke: Stroke) -> PressResult:
    """Line the finger tips up before a control, push until it stops them, and back off."""
    lined_up = line_up(world, stroke.way_in, stroke.rotation)
    on = tips_at(stroke.contact + stroke.beyond_m * stroke.along, stroke.rotation, speed_m=0.015)
    met = go(world, [on], {**PRESSING, "contact_force_n": TOUCH_N})
    touched = met.status == "stalled" or world.state.success
    start = tips(world)
    if touched:
        go(world, [tips_at(start + stroke.beyond_m * stroke.along, stroke.rotation)], PRESSING)
    pressed = float((tips(world) - start) @ stroke.along)
    line_up(world, stroke.way_in[::-1], stroke.rotation)
    reason = (
        "" if touched else f"nothing met the finger tips on the way ({lined_up.detail or lined_up.status})"
    )
    return PressResult(ok=touched, touched=touched, pressed_m=max(pressed, 0.0), reason=reason)
