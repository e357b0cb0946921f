"""Pressing a button, switch or lever with closed finger tips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud, rotations
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.controls import UP, nearer, outward, pointing
from rpent_manipulation.primitives.waypoints import TRANSIT, posed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Until, Waypoint

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

PressDirection = Literal["auto", "in", "down", "up"]

BEFORE_M = 0.09
"""The finger tips line up this far before a control."""

BEYOND_M = 0.05
"""How far past the control's surface the tips are sent: it stops them."""

LEVER_M = 0.10
"""Likewise for what is pressed down over a whole slot."""

WITHDRAW_M = 0.20
"""How far the hand backs off: benchmarks ask that it ends more than 0.15 m away."""

TOUCH_N = 3.0
"""Force on the hand that shows a contact, newtons."""

PRESSED_DOWN = ("lever", "switch")
"""Controls that are pressed down rather than in, by their names."""

FACE_M = 0.008
"""What is within this of a control's nearest point is the face that is pressed."""

STEEP = 0.7
"""Presses whose direction is more upright than this come from above or below."""

DIPS = (math.radians(15), math.radians(50), 0.0, math.radians(80))
"""How far the hand points below the direction of the press, by attempt: the wrist cannot always come in level."""

PUSHING: Until = {"position_tolerance_m": 0.006, "rotation_tolerance_rad": 0.5, "max_steps": 60, "stall_steps": 8}
LINED_UP: Until = {"position_tolerance_m": 0.012, "rotation_tolerance_rad": 0.15, "max_steps": 160, "stall_steps": 20}


@dataclass(frozen=True, kw_only=True, slots=True)
class PressResult:
    """How a press ended."""

    ok: bool
    touched: bool
    pressed_m: float
    """How far the finger tips went with or into the control after they met it."""
    reason: str = ""


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

    def site(self, travel_m: float) -> NDArray[np.float64]:
        """Return the grasp point (3,) with the finger tips `travel_m` past the contact."""
        tips = self.contact + travel_m * self.along
        return np.asarray(tips - gripper.TIP_BELOW_SITE * self.rotation[:, 2])


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
    world.bring_within_reach(thing.middle, -along)
    return strike(world, plan(world, thing, along, attempt))


def _given(label: str, direction: PressDirection) -> NDArray[np.float64] | None:
    """Return the direction (3,) that is asked for, or that a control's name tells; None to look at its panel."""
    if direction == "auto" and any(word in label.split() for word in PRESSED_DOWN):
        direction = "down"
    return {"down": -UP, "up": UP}.get(direction)


def plan(world: World, thing: Found, along: NDArray[np.float64], attempt: int = 0) -> Stroke:
    """Return where and how a control is pressed along a direction (3,)."""
    depths = thing.points @ along
    face = thing.points[depths < np.percentile(depths, 5) + FACE_M]
    contact = cloud.extent(face).middle
    contact = contact + (float(np.percentile(depths, 5)) - contact @ along) * along
    upright = abs(along @ UP) > STEEP
    dip = DIPS[attempt % len(DIPS)]
    if upright:
        ahead = np.array([*world.facing, 0.0])
        lean = dip if attempt % len(DIPS) else 0.0
        approach = -UP * math.cos(lean) + ahead * math.sin(lean)
        closing = np.cross(UP, ahead)
    else:
        approach = along * math.cos(dip) - UP * math.sin(dip)
        closing = np.cross(UP, along)
    rotation = nearer(pointing(approach, closing), rotations.from_quaternion(world.state.eef_quaternion))
    return Stroke(contact=contact, along=along, rotation=rotation, beyond_m=LEVER_M if upright else BEYOND_M)


def strike(world: World, stroke: Stroke) -> PressResult:
    """Line the finger tips up before a control, push until it stops them, and back off."""
    quaternion = rotations.to_quaternion(stroke.rotation)

    def to(travel_m: float) -> Waypoint:
        return posed(stroke.site(travel_m), quaternion, gripper="close")

    lined_up = world.move([to(-WITHDRAW_M), to(-BEFORE_M)], LINED_UP)
    approach = to(stroke.beyond_m)
    approach["max_step_m"] = 0.025
    met = world.move([approach], {**PUSHING, "contact_force_n": TOUCH_N})
    touched = met.status == "stalled"
    start = _travel(world, stroke)
    if touched:
        world.move([to(start + stroke.beyond_m)], PUSHING)
    pressed = _travel(world, stroke) - start
    world.move([to(start - WITHDRAW_M)], LINED_UP)
    reason = "" if touched else f"nothing met the finger tips on the way ({lined_up.detail or lined_up.status})"
    return PressResult(ok=touched, touched=touched, pressed_m=max(pressed, 0.0), reason=reason)


def _travel(world: World, stroke: Stroke) -> float:
    """Return how far the finger tips are past the contact."""
    return float((world.state.eef_position - stroke.site(0.0)) @ stroke.along)
