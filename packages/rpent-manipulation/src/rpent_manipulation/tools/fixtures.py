"""Tools for furniture and machines: press controls, turn knobs, swing spouts, open and close doors, drawers, racks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

from rpent_manipulation.primitives.door import OPEN_RAD, close_door, open_door
from rpent_manipulation.primitives.knob import KnobDirection, turn_knob
from rpent_manipulation.primitives.press import PressDirection, press
from rpent_manipulation.primitives.push import push
from rpent_manipulation.primitives.slide import close_drawer, open_drawer
from rpent_manipulation.primitives.swing import swing, turn_handle
from rpent_manipulation.tools.contact import ContactTools, Direction, Distance, contact_data, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.sight import Found

Attempt = Annotated[int, Field(ge=0, le=20)]
Side = Literal["left", "right", "up", "down"]
Travel = Annotated[float, Field(gt=0, le=1.0)]
TurnAngle = Annotated[float, Field(gt=0.1, le=3.1)]

SWINGING = ("spout", "faucet", "tap")
"""Parts with these words in their names swing on a joint, and are not slid."""


class FixtureTools(ContactTools):
    """`press`, `turn_knob`, `open_door`, `close_door`, `open_drawer`, `close_drawer`, and a `push` for what swings."""

    @tool(needs="perceptor")
    def press(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        direction: PressDirection = "auto",
        attempt: Attempt = 0,
    ) -> ToolResult:
        """Press a button, switch or lever with closed finger tips until it stops them, and withdraw the hand.

        Args:
            target: The control: `start button of the microwave`, `lever of the toaster`.
            segment_id: A candidate of `segment` instead.
            direction: `in` into the panel, `down` or `up`; `auto` presses levers and switches down, buttons in.
            attempt: Count up after failures: the hand comes in tilted differently.

        Returns:
            `touched`: whether something met the finger tips; `pressed_m`: how far it then gave way; `reason` if not. A
            button counts as pressed when it was touched, a lever when it is seen to have given way.
        """
        thing = self._with_free_hand(target, segment_id)
        result = press(self.world, thing, direction, attempt)
        data = {
            "ok": result.ok,
            "target": thing.label,
            "touched": result.touched,
            "pressed_m": round(result.pressed_m, 4),
            "reason": result.reason,
        }
        if result.seen is not None:
            data["seen"] = result.seen
        return ToolResult(data=data)

    @tool(needs="perceptor")
    def turn_knob(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        direction: KnobDirection = "on",
        angle_rad: TurnAngle | None = None,
        attempt: Attempt = 0,
    ) -> ToolResult:
        """Turn a knob about its own axis, on a front or on top; also a faucet's handle.

        Args:
            target: The knob: `front left knob of the stove`.
            segment_id: A candidate of `segment` instead.
            direction: The sense as seen from the knob's front, or what it is to do.
            angle_rad: How far; left out, far enough to be on, or until it is off.
            attempt: Count up after failures: it is taken elsewhere, with the hand tilted differently, or from beside.

        Returns:
            `angle_rad`: how far it turned, counterclockwise positive; `seen`: false where only the hand's own turn is
            known; `reason` when it did not.
        """
        thing = self._with_free_hand(target, segment_id)
        if _swings(thing):
            result = turn_handle(self.world, thing, direction)
        else:
            result = turn_knob(self.world, thing, direction, angle_rad, attempt)
        return ToolResult(data=contact_data(thing.label, result))

    @tool(needs="perceptor")
    def open_door(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        angle_rad: TurnAngle = OPEN_RAD,
        attempt: Attempt = 0,
    ) -> ToolResult:
        """Open a hinged door by its handle, sideways or downwards, along its arc.

        Args:
            target: The door: `microwave door`, `left door of the cabinet`.
            segment_id: A candidate of `segment` instead.
            angle_rad: How far; it stops earlier where the door does.
            attempt: Count up after failures: it is taken elsewhere, with the hand tilted differently, or from beside.

        Returns:
            `angle_rad`: how far it opened; `seen`: false where only the hand's own way is known; `reason` when it did
            not.
        """
        thing = self._with_free_hand(target, segment_id)
        return ToolResult(data=contact_data(thing.label, open_door(self.world, thing, angle_rad, attempt)))

    @tool(needs="perceptor")
    def close_door(
        self, target: str | None = None, segment_id: str | None = None, attempt: Attempt = 0
    ) -> ToolResult:
        """Shut an open hinged door: push it along its arc, or lift it when it hangs open downwards.

        Args:
            target: The door: `microwave door`, `oven door`.
            segment_id: A candidate of `segment` instead.
            attempt: Count up after failures: it is pushed elsewhere, with the hand tilted differently.

        Returns:
            `angle_rad`: how far it turned; `seen`: false where only the hand's own way is known; `reason` when it did
            not shut.
        """
        thing = self._with_free_hand(target, segment_id)
        return ToolResult(data=contact_data(thing.label, close_door(self.world, thing, attempt)))

    @tool(needs="perceptor")
    def open_drawer(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        distance_m: Travel | None = None,
        attempt: Attempt = 0,
    ) -> ToolResult:
        """Draw a drawer out by its handle, or a rack by its front edge, driving back with it.

        Args:
            target: The drawer or rack: `drawer`, `top dishwasher rack`.
            segment_id: A candidate of `segment` instead, to take one among several alike.
            distance_m: How far; left out, until it stops.
            attempt: Count up after failures: its bar is taken elsewhere, or hooked from behind.

        Returns:
            `moved_m`: how far it came; `seen`: false where only the hand's own way is known; `reason` when it did not.
        """
        thing = self._with_free_hand(target, segment_id)
        return ToolResult(data=contact_data(thing.label, open_drawer(self.world, thing, distance_m, attempt)))

    @tool(needs="perceptor")
    def close_drawer(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        distance_m: Travel | None = None,
        attempt: Attempt = 0,
    ) -> ToolResult:
        """Push an open drawer or rack in.

        Args:
            target: The drawer or rack: `fridge drawer`, `toaster oven rack`.
            segment_id: A candidate of `segment` instead, to push one among several alike.
            distance_m: How far; left out, until it stops.
            attempt: Count up after failures: it is pushed elsewhere, with the hand tilted differently.

        Returns:
            `moved_m`: how far it moved; `seen`: false where only the hand's own way is known; `reason` when it did not.
        """
        thing = self._with_free_hand(target, segment_id)
        return ToolResult(
            data=contact_data(thing.label, close_drawer(self.world, thing, distance_m, attempt))
        )

    @tool(needs="perceptor")
    def push(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        distance_m: Distance | None = None,
        direction: Direction | Side | None = None,
    ) -> ToolResult:
        """Push a thing with closed fingers: slide it, swing a spout or faucet handle aside, or push in a front.

        Args:
            target: What to push.
            segment_id: A candidate of `segment` instead.
            distance_m: How far; left out, a front is pushed until it stops, a spout far enough to be aside.
            direction: World direction [x, y, z], or `left`, `right`, `up`, `down` as the robot sees it; left out, into
                the front, or away from the spout for a faucet's handle.

        Returns:
            `moved_m`: how far it moved; `reason` when it did not.
        """
        thing = self._with_free_hand(target, segment_id)
        along = self._direction(direction)
        if not _swings(thing):
            result = push(self.world, thing, distance_m, along)
        elif along is None:
            result = turn_handle(self.world, thing, "on")
        else:
            result = swing(self.world, thing, along, distance_m)
        return ToolResult(data=contact_data(thing.label, result))

    def _direction(self, direction: list[float] | str | None) -> Any:
        """Return a direction (3,) of length 1, world; words are as the robot sees it."""
        if not isinstance(direction, str):
            return unit(direction)
        left = np.array([*self.world.leftward, 0.0])
        named: dict[str, NDArray[np.float64]] = {
            "left": left,
            "right": -left,
            "up": np.array([0.0, 0.0, 1.0]),
            "down": np.array([0.0, 0.0, -1.0]),
        }
        return named[direction]


def _swings(thing: Found) -> bool:
    return any(word in thing.label.split() for word in SWINGING)
