"""What servoing needs of an env server's running episode, whatever simulates it."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Tracking:
    """How the commanded offset follows from what is left: `gain` times that, less `damping` times the last step's way.

    With the plain one the controller's goal is the target itself. A stiffer one is at rest there sooner.
    """

    gain: float = 1.0
    damping: float = 0.0


PLAIN = Tracking()


class ServoedEpisode(Protocol):
    """A running episode whose every control step goes through `move`."""

    @property
    def tracking(self) -> Tracking:
        """How its arm is best led to a place."""

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
        """(2,) where it stands, world, metres: the point below the arm's own base."""

    @property
    def yaw(self) -> float:
        """Which way it faces, radians about the world's vertical axis; at 0 along +x."""

    @property
    def torso_m(self) -> float:
        """How far its torso is raised above its lowest position, metres."""


class Drivetrain(Protocol):
    """What a mobile base can do."""

    @property
    def max_speed_m_s(self) -> float:
        """Fastest straight motion."""

    @property
    def max_turn_rad_s(self) -> float:
        """Fastest turn."""

    @property
    def pivot_m(self) -> float:
        """Where the point lies that it turns about: ahead of `BaseState.position` (negative: behind it), metres."""

    @property
    def torso_range_m(self) -> tuple[float, float]:
        """The lowest and the highest `torso_m`."""


class MobileEpisode(ServoedEpisode, Protocol):
    """A running episode of an arm on a mobile base. While it drives or lifts, the arm rides along as it is."""

    @property
    def base(self) -> BaseState:
        """The base as it is now."""

    @property
    def drivetrain(self) -> Drivetrain:
        """What the base can do."""

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float, gripper: float) -> None:
        """Carry out one control step of the base. What rubs is made up for: a small speed is a small motion.

        Args:
            forward_m_s: Speed of the point that it turns about, ahead in the base's own frame.
            left_m_s: Likewise to its left. The two together and the turn are limited to what the base can do.
            turn_rad_s: Counter-clockwise, seen from above.
            gripper: `OPEN`, `HOLD` or `CLOSE`.
        """

    def lift(self, up_m: float, gripper: float) -> None:
        """Carry out one control step of the torso.

        Args:
            up_m: Displacement of its goal from where it is, metres; limited to what one action can say.
            gripper: `OPEN`, `HOLD` or `CLOSE`.
        """
