"""What a learned policy has taken into the hand: found in pictures after the lift, so that it can be put down."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from rpent.errors import RemoteError, ToolError

from rpent_manipulation import cloud
from rpent_manipulation.geometry import project
from rpent_manipulation.labels import ROBOT
from rpent_manipulation.primitives.held import Held, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

VERBS = re.compile(
    r"^\s*(?:please\s+)?(?:pick|grasp|grab|take|lift|get|fetch|hold|put|place|move|bring)(?:\s+up)?\s+(?:(?:the|a|an)\s+)?"
)
"""How an instruction begins that has to do with one thing."""
END = re.compile(
    r"[,.;]|\b(?:and|then|up|on|in|inside|into|from|next|between|beside|behind|under|near|at|to|with|that|which)\b"
)
"""Where the name of the thing ends."""
UNKNOWN = "something"
IN_HAND_M = 0.045
"""A thing in the hand shows a surface point within this distance of the grasp point: half of the widest opening."""
BELOW_M = (0.01, 0.025, 0.045)
"""Where under the grasp point to look for a thing that is not called what the policy was told."""
LEAST_POINTS = 10
"""Surface points below the finger tips that show a thing in the hand."""
REACH_M, MOST_BELOW_M = 0.05, 0.12
"""What is assumed of a thing that is not seen."""


def thing_named(prompt: str) -> str:
    """Return what a policy was told to pick up: `pick up the red mug and place it …` → `red mug`; empty if unclear."""
    text = prompt.strip().lower()
    found = VERBS.match(text)
    return END.split(text[found.end() :], maxsplit=1)[0].strip() if found else ""


def seized(world: World, prompt: str, lifted_m: float) -> Held:
    """Return what is in the hand after a lift, and how it hangs there.

    Args:
        world: The scene; the hand holds something.
        prompt: What the policy was told.
        lifted_m: How far the hand rose since the fingers closed.
    """
    name = thing_named(prompt)
    try:
        thing = _in_hand(world, name) if world.perceptor is not None else None
    except (ToolError, RemoteError):  # what cannot be looked at is held all the same
        thing = None
    if thing is None:
        return _unseen(world, name or UNKNOWN, lifted_m)
    eef, points = world.state.eef_position, cloud.thin_out(thing.points, 0.002)
    middle = cloud.extent(points).middle
    offset = middle[:2] - eef[:2]
    first = Held(
        label=thing.label,
        strategy="policy",
        yaw_rad=world.gripper_yaw,
        offset=(float(offset[0]), float(offset[1])),
        below_m=max(0.0, float(eef[2] - np.percentile(points[:, 2], 1))),
        reach_m=float(np.percentile(np.linalg.norm(points[:, :2] - middle[:2], axis=1), 98)),
        level=False,
    )
    world.held = first
    measure(world)  # from both cameras together
    return world.held or first


def _in_hand(world: World, name: str) -> Found | None:
    """Return the thing that touches the grasp point: the one that was meant, else whatever it is."""
    for candidates in (_by_name(world, name), _by_place(world)):
        near = [(_distance(world, thing), thing) for thing in candidates]
        near = [pair for pair in near if pair[0] < IN_HAND_M]
        if near:
            return min(near, key=lambda pair: pair[0])[1]
    return None


def _by_name(world: World, name: str) -> Iterator[Found]:
    for camera in world.cameras if name else ():
        yield from world.find(name, camera=camera)


def _by_place(world: World) -> Iterator[Found]:
    spots = world.state.eef_position - np.outer(BELOW_M, [0.0, 0.0, 1.0])
    for camera in world.cameras:
        view = world.view(camera)
        height, width = view.depth.shape
        for row, col, depth in project(spots, view.calibration).round(3):
            if depth > 0 and 0 <= row <= height - 1 and 0 <= col <= width - 1:
                found = world.find(point=(round(row), round(col)), camera=camera)
                yield from (thing for thing in found if not _is_hand(world, thing))


def _is_hand(world: World, thing: Found) -> bool:
    """Whether a thing is the hand itself: called so, or nowhere lower than the finger tips."""
    return thing.label == ROBOT or len(world.without_hand(thing.points)) < LEAST_POINTS


def _distance(world: World, thing: Found) -> float:
    return float(np.min(np.linalg.norm(thing.points - world.state.eef_position, axis=1)))


def _unseen(world: World, label: str, lifted_m: float) -> Held:
    """Return a thing of which only is known that it stood somewhere above the surface when the fingers closed."""
    below = float(world.state.eef_position[2]) - lifted_m - float(world.workspace["low"][2])
    return Held(
        label=label,
        strategy="policy",
        yaw_rad=world.gripper_yaw,
        offset=(0.0, 0.0),
        below_m=float(np.clip(below, 0.0, MOST_BELOW_M)),
        reach_m=REACH_M,
        level=False,
    )
