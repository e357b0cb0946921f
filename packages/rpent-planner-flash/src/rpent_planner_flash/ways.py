"""What may be tried to operate a thing in a kitchen: which part of it, with which tool.

A machine is worked by one of its controls; which one it has is seen, not known. The nouns of controls are a
closed class, and each says what hands do with it: buttons, switches and levers are pressed, knobs are turned, what
swings is pushed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rpent_planner_flash.goals import Adjust, Close, Open, Press, Slide, Swing, Turn
from rpent_planner_flash.parts import head, is_control, whole

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from rpent_planner_flash.goals import Direction, Operation, Reference

SWITCHES = {
    "on": ("start button", "power button", "button", "switch", "lever", "knob"),
    "off": ("stop button", "power button", "button", "switch", "knob", "lever"),
}
"""The controls that a machine may be switched with, the most telling name first."""
TAPS = ("faucet", "tap")
SWINGING = ("handle", "spout", *TAPS)
DIALS = ("knob", "dial", "timer", "temperature", "heat")
"""What is turned: a knob, or what a knob sets."""
COVERS = ("lid", "head")
SENSES = {"up": "increase", "hot": "increase", "down": "decrease", "cold": "decrease"}
"""How the tools call it when a control is turned up or down."""


@dataclass(frozen=True, slots=True)
class Way:
    """One thing to try."""

    tool: str
    part: Reference
    """What the tool is to take hold of or touch."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    side: Direction | None = None
    """Which way it is to go, as the robot sees it."""


def ways(goal: Operation, offered: Container[str]) -> list[Way]:
    """Return what may be tried for a goal with the tools that there are, the likeliest first."""
    if isinstance(goal, Press):
        found = [Way("press", goal.item)]
    elif isinstance(goal, Turn):
        found = _switching(goal)
    elif isinstance(goal, Adjust):
        found = _adjusting(goal)
    elif isinstance(goal, Swing):
        found = [Way("push", goal.item, side=goal.side)]
    elif isinstance(goal, Slide):
        found = [_rail("open" if goal.way == "out" else "close", goal.item, offered)]
    else:
        found = _opening(goal, offered)
    return [way for way in found if way.tool in offered]


def _switching(goal: Turn) -> list[Way]:
    item, noun = goal.item, head(goal.item)
    if noun == "burner":
        return [
            Way("turn_knob", _called(item, item.noun.replace("burner", "knob")), {"direction": goal.state})
        ]
    if noun in TAPS:
        handle = _called(item, "faucet handle")
        other = "counterclockwise" if goal.state == "on" else "clockwise"
        senses = [Way("turn_knob", handle, {"direction": sense}) for sense in (goal.state, other)]
        return [*senses, Way("push", item)]
    if is_control(item):
        return [_working(item, goal.state)]
    return [_working(_part(item, name), goal.state) for name in SWITCHES[goal.state]]


def _adjusting(goal: Adjust) -> list[Way]:
    noun = head(goal.item)
    if noun in DIALS:
        name = goal.item.noun if noun in ("knob", "dial") else f"{goal.item.noun} knob"
        return [Way("turn_knob", _called(goal.item, name), {"direction": SENSES[goal.level]})]
    # Hot is on the left all over the world, from where one stands before the tap.
    return [Way("push", goal.item, side="left" if goal.level == "hot" else "right")]


def _rail(verb: str, part: Reference, offered: Container[str]) -> Way:
    """Return how what runs on rails is moved: with the tool for that, or else as anything is pulled and pushed."""
    made_for_it = f"{verb}_drawer"
    return Way(made_for_it if made_for_it in offered else {"open": "pull", "close": "push"}[verb], part)


def _opening(goal: Open | Close, offered: Container[str]) -> list[Way]:
    verb, item = ("open" if isinstance(goal, Open) else "close"), goal.item
    noun = head(item)
    if noun in ("drawer", "rack"):
        return [_rail(verb, item, offered)]
    if noun in COVERS:
        button = Way("press", _part(whole(item), "button"))
        lid = Way(f"{verb}_door", item)
        return [button, lid] if verb == "open" else [lid, Way("press", item), button]
    door = item if is_control(item) else _part(item, "door")
    return [Way(f"{verb}_door", door), Way(f"{verb}_door", whole(item))]


def _working(part: Reference, state: str) -> Way:
    """Return what hands do with a control."""
    noun = head(part)
    if noun in DIALS:
        return Way("turn_knob", part, {"direction": state})
    return Way("push" if noun in SWINGING else "press", part)


def _part(machine: Reference, name: str) -> Reference:
    return replace(machine, noun=name, owner=replace(machine, relations=()), relations=(), level=None)


def _called(part: Reference, name: str) -> Reference:
    return replace(part, noun=name)
