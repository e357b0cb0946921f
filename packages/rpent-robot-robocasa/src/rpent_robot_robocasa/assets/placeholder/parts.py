"""Parts that several fixtures share: walls, doors with handles, knobs, racks, buttons.

What a hand works stands out: handles leave 4 cm for the fingers behind them, buttons are at least 3 cm wide and stand
2.5 cm out of the surface, knobs have a fin of 1.4 cm that the fingers close on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robot_robocasa.assets.placeholder.colours import CHROME, DARK, STEEL
from rpent_robot_robocasa.assets.placeholder.mjcf import Axis, Colour, Model, Part, Vector, hinge, slide

if TYPE_CHECKING:
    from collections.abc import Sequence

HANDLE_GAP = 0.04
"""Metres between a surface and the handle in front of it."""
HANDLE_HALF = 0.011
BUTTON_HALF_DEPTH = 0.0125
KNOB_LIMITS = (0.0, 2.8)
"""Radians; clockwise, seen by whoever turns it, is on."""


def shell(part: Part, half: Vector, wall: float, colour: Colour, *, at: Vector = (0, 0, 0)) -> None:
    """Add a box that is open at the front: sides, bottom, top and back, each `2 * wall` thick."""
    x, y, z = at
    width, depth, height = half
    for side in (-1, 1):
        part.box((x + side * (width - wall), y, z), (wall, depth, height), colour)
        part.box((x, y, z + side * (height - wall)), (width - 2 * wall, depth, wall), colour)
    part.box((x, y + depth - wall, z), (width - 2 * wall, wall, height - 2 * wall), colour)


def bar_handle(
    part: Part, at: Vector, half_length: float, along: Axis, name: str, *, colour: Colour = CHROME
) -> None:
    """Add a bar in front of a surface, on two posts.

    Args:
        part: The door or drawer.
        at: The point of the surface behind the middle of the bar.
        half_length: Of the bar, in metres.
        along: `x` or `z`.
        name: The bar's name.
        colour: Of bar and posts.
    """
    x, surface, z = at
    y = surface - HANDLE_GAP - HANDLE_HALF
    size = (
        (half_length, HANDLE_HALF, HANDLE_HALF) if along == "x" else (HANDLE_HALF, HANDLE_HALF, half_length)
    )
    part.box((x, y, z), size, colour, name)
    reach = half_length - 0.012
    for side in (-1, 1):
        dx, dz = (side * reach, 0.0) if along == "x" else (0.0, side * reach)
        part.box((x + dx, surface - HANDLE_GAP / 2, z + dz), (0.008, HANDLE_GAP / 2, 0.008), colour)


def side_door(
    model: Model,
    name: str,
    joint: str,
    *,
    centre: Vector,
    half: Vector,
    hinge_side: int,
    colour: Colour,
    opening: float = 1.8,
    handle: str | None = None,
    handle_half: float = 0.16,
    friction: float = 0.5,
) -> None:
    """Add a door that swings about a vertical edge, with an upright handle at the other edge.

    Args:
        model: The fixture.
        name: The body.
        joint: Its hinge.
        centre: The middle of the door.
        half: Its half sizes.
        hinge_side: -1 when the hinge is on the left, 1 on the right.
        colour: Of the door.
        opening: How far it opens, in radians.
        handle: The handle's name.
        handle_half: Half of the handle's length at most, in metres.
        friction: Of the hinge, in N·m.
    """
    x, y, z = centre
    width, depth, height = half
    limits = (-opening, 0.0) if hinge_side < 0 else (0.0, opening)
    edge = (x + hinge_side * width, y, z)
    with model.moving(name, hinge(joint, (0, 0, 1), limits, edge, friction=friction)) as part:
        part.box(centre, (width - 0.003, depth, height), colour, f"{name}_panel")
        at = (x - hinge_side * (width - 0.05), y - depth, z)
        bar_handle(part, at, min(handle_half, height * 0.7), "z", handle or f"{name}_handle")


def drop_door(
    model: Model,
    *,
    half_width: float,
    front: float,
    bottom: float,
    half_height: float,
    colour: Colour,
    thickness: float = 0.02,
    friction: float = 0.5,
    window: bool = True,
) -> None:
    """Add the body `door` on `door_joint`: it falls open about its lower edge and has a handle along the upper one.

    Args:
        model: The fixture.
        half_width: Of the door, in metres.
        front: y of the door's middle.
        bottom: z of the hinge.
        half_height: Of the door.
        colour: Of the door.
        thickness: Half of it.
        friction: Of the hinge, in N·m.
        window: Whether a dark pane shows that it is an oven.
    """
    joint = hinge("door_joint", (1, 0, 0), (0, 1.5708), (0, front, bottom), friction=friction)
    with model.moving("door", joint) as part:
        middle = (0, front, bottom + half_height)
        part.box(middle, (half_width - 0.003, thickness, half_height), colour, "door_panel")
        if window:
            pane = (0, front - thickness - 0.001, bottom + half_height * 0.85)
            part.picture("box", pane, (half_width * 0.65, 0.001, half_height * 0.5), DARK)
        at = (0, front - thickness, bottom + 2 * half_height - 0.045)
        bar_handle(part, at, half_width * 0.6, "x", "door_handle")


def knob(
    model: Model,
    name: str,
    at: Vector,
    *,
    radius: float = 0.022,
    facing: Axis = "y",
    colour: Colour = DARK,
) -> None:
    """Add a knob that is turned on `NAME_joint`: a disc and a fin across it.

    Args:
        model: The fixture.
        name: The body: `knob_time`.
        at: The point of the surface that it stands out of.
        radius: Of the disc, in metres.
        facing: `y` on a front, `z` on a top.
        colour: Of the disc.
    """
    x, y, z = at
    disc, fin = 0.010, 0.014
    if facing == "y":
        axis, centre, front = (0, 1, 0), (x, y - disc, z), (x, y - 2 * disc - fin, z)
        size = (0.007, fin, radius)
        mark = (x, y - 2 * disc - 2 * fin - 0.001, z + radius * 0.5), (0.003, 0.001, radius * 0.45)
    else:
        axis, centre, front = (0, 0, -1), (x, y, z + disc), (x, y, z + 2 * disc + fin)
        size = (0.007, radius, fin)
        mark = (x, y + radius * 0.5, z + 2 * disc + 2 * fin + 0.001), (0.003, radius * 0.45, 0.001)
    turning = hinge(f"{name}_joint", axis, KNOB_LIMITS, centre, damping=0.05, friction=0.02)
    with model.moving(name, turning) as part:
        part.cylinder(centre, radius, disc, colour, f"{name}_main", along=facing)
        part.box(front, size, STEEL, f"{name}_grip")
        part.picture("box", *mark, (0.95, 0.2, 0.1, 1))


def button(
    part: Part, name: str, at: Vector, colour: Colour, *, half: float = 0.018, facing: Axis = "y"
) -> None:
    """Add a button that stands 2.5 cm out of the surface.

    Args:
        part: The fixture, or a body that moves when it is pressed.
        name: The geom.
        at: The point of the surface behind its middle.
        colour: Of the button.
        half: Half of its side.
        facing: `y` on a front, `z` on a top, `x` on the right side.
    """
    x, y, z = at
    depth = BUTTON_HALF_DEPTH
    if facing == "y":
        part.box((x, y - depth, z), (half, depth, half), colour, name)
    elif facing == "z":
        part.box((x, y, z + depth), (half, half, depth), colour, name)
    else:
        part.box((x + depth, y, z), (depth, half, half), colour, name)


def rack(
    model: Model,
    name: str,
    *,
    centre: Vector,
    half: Sequence[float],
    height: float,
    travel: float,
    colour: Colour = STEEL,
) -> None:
    """Add a rack that slides out on `NAME_joint`, with a lip at its front and the region above it.

    Args:
        model: The fixture.
        name: The body: `rack0`.
        centre: The middle of its floor.
        half: Half of its width and depth.
        height: Of the region above it.
        travel: How far it comes out, in metres.
        colour: Of the rack.
    """
    x, y, z = centre
    width, depth = half
    with model.moving(name, slide(f"{name}_joint", (0, -1, 0), (0, travel))) as part:
        part.box((x, y, z), (width, depth, 0.005), colour, f"{name}_main")
        part.box((x, y - depth, z + 0.016), (width, 0.007, 0.02), CHROME, f"{name}_front")
        part.region(name, (x, y, z + 0.005 + height / 2), (width - 0.01, depth - 0.01, height / 2))


def liquid(part: Part, radius: float, half: float) -> None:
    """Add what a container can hold, unseen until a task colours it: its radius and half height in metres."""
    part.picture("cylinder", (0, 0, 0), (radius, half), (0.5, 0.6, 1, 0), name="liquid")


def staves(
    part: Part, radius: float, half: float, wall: float, colour: Colour, *, at: Vector = (0, 0, 0)
) -> None:
    """Add the wall of a round container: eight upright boards about its axis.

    Args:
        part: What it belongs to.
        radius: The outer one, in metres.
        half: Half of the height.
        wall: Half of the thickness.
        colour: Of the wall.
        at: The middle of the container.
    """
    middle = radius - wall
    half_width = middle * _TAN_22_5 + wall * _TAN_22_5
    for cosine, sine, quat in _EIGHTHS:
        place = (at[0] + middle * cosine, at[1] + middle * sine, at[2])
        part.solid("box", place, (wall, half_width, half), colour, quat=quat)


_TAN_22_5 = 0.41421
_HALF = 0.70711
_EIGHTHS: tuple[tuple[float, float, tuple[float, float, float, float]], ...] = (
    (1, 0, (1, 0, 0, 0)),
    (_HALF, _HALF, (0.92388, 0, 0, 0.38268)),
    (0, 1, (0.70711, 0, 0, 0.70711)),
    (-_HALF, _HALF, (0.38268, 0, 0, 0.92388)),
    (-1, 0, (1, 0, 0, 0)),
    (-_HALF, -_HALF, (0.92388, 0, 0, 0.38268)),
    (0, -1, (0.70711, 0, 0, 0.70711)),
    (_HALF, -_HALF, (0.38268, 0, 0, 0.92388)),
)
"""Cosine, sine and turn (w, x, y, z) about z of eight directions."""
