"""What servoing needs of an env server's running episode, whatever simulates it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.env.guardrails import Workspace

OPEN, HOLD, CLOSE = -1.0, 0.0, 1.0
"""Gripper component of an action."""

POSITION_SCALE_M = 0.05
"""What an action component of 1 means to robosuite's OSC_POSE: metres of displacement of the controller's goal."""

ROTATION_SCALE_RAD = 0.5
"""Likewise, radians of the axis-angle rotation."""


class ArmState(Protocol):
    """An arm with a parallel gripper as it is now."""

    @property
    def position(self) -> NDArray[Any]:
        """(3,) the grasp point between the finger tips, world, metres."""

    @property
    def rotation(self) -> NDArray[Any]:
        """(3, 3) orientation of the hand in the world: z is the approach axis, the fingers close along y."""

    @property
    def gripper_opening_m(self) -> float:
        """Distance between the finger pads, metres."""

    @property
    def gripper_command(self) -> float:
        """The width that is commanded: -1 open to 1 closed."""


class ServoedEpisode(Protocol):
    """A running episode whose every control step goes through `move`."""

    workspace: Workspace
    steps: int
    """Control steps since it began."""
    success: bool

    @property
    def arm(self) -> ArmState:
        """The arm as it is now."""

    @property
    def over(self) -> bool:
        """Whether no further action is accepted."""

    def move(self, offset_m: NDArray[Any], turn_rad: NDArray[Any], gripper: float) -> None:
        """Carry out one control step.

        Args:
            offset_m: (3,) displacement of the controller's goal, world, metres.
            turn_rad: (3,) axis-angle rotation of the goal, world, radians.
            gripper: `OPEN`, `HOLD` or `CLOSE`.
        """

    def hand_force_n(self) -> float:
        """Return the largest net contact force between the hand and the world in the last physics step, newtons."""

    def observation(self) -> dict[str, Any]:
        """Return the state as plain data; see `rpent.env.Observation`."""


class BaseState(Protocol):
    """A mobile base as it is now."""

    @property
    def position(self) -> NDArray[Any]:
        """(2,) where its middle stands, world, metres."""

    @property
    def yaw(self) -> float:
        """Which way it faces, radians about the world's vertical axis; at 0 along +x."""

    @property
    def torso_m(self) -> float:
        """How far its torso is raised above its lowest position, metres."""


class MobileEpisode(ServoedEpisode, Protocol):
    """A running episode of an arm on a mobile base. While it drives or lifts, the arm rides along as it is."""

    @property
    def base(self) -> BaseState:
        """The base as it is now."""

    @property
    def torso_range_m(self) -> tuple[float, float]:
        """The lowest and the highest `torso_m`."""

    def drive(self, forward: float, left: float, turn: float, gripper: float) -> None:
        """Carry out one control step of the base.

        Args:
            forward: Speed ahead in the base's own frame, from -1 to 1 of its fastest.
            left: Likewise to its left.
            turn: Likewise counter-clockwise, seen from above.
            gripper: `OPEN`, `HOLD` or `CLOSE`.
        """

    def lift(self, up_m: float, gripper: float) -> None:
        """Carry out one control step of the torso.

        Args:
            up_m: Displacement of its goal from where it is, metres; limited to what one action can say.
            gripper: `OPEN`, `HOLD` or `CLOSE`.
        """
