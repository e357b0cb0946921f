"""Driving inside the server: a mobile base comes to a pose in closed loop, its torso to a height.

The base is steered by the point that it turns about, so that driving and turning do not disturb each other. Each
control step asks for a speed in proportion to what is left, limited to what the base can do: it slows down near the
goal. A waypoint without a yaw that another one follows is a corner: it is passed by without slowing down, while the
base turns to the next yaw that is named.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from rpent_manipulation.env.episode import HOLD
from rpent_manipulation.geometry import wrap_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_manipulation.env.episode import MobileEpisode
    from rpent_manipulation.env.targets import Limits, Target

CONTROL_FREQ_HZ = 20.0
"""Control steps per second: what turns `max_step_m` into a speed."""
GAIN_PER_S = 5.0
"""Speed per metre (radian) that is left. The base takes on a new speed within three control steps."""
CORNER_M = 0.12
"""A corner counts as passed from this distance on."""
TORSO_TOLERANCE_M = 0.008
AT_REST_M = 0.002
"""At the goal the base must also move less than this per control step."""
PROGRESS = np.array([0.002, 0.005, 0.002])
"""Metres, radians, metres of torso: one of the errors must shrink by this within `stall_steps`; else it is blocked."""


class Driving:
    """The way to one target of the base."""

    def __init__(
        self, episode: MobileEpisode, target: Target, limits: Limits, onward: Sequence[Target] = ()
    ) -> None:
        """Begin at the present pose, which holds for what the target does not mention.

        Args:
            episode: The running episode.
            target: Where the base drives, which way it faces then, how high its torso stands.
            limits: When it is near enough, and when blocked.
            onward: Where it drives on from there.
        """
        self._episode, self._target, self._limits = episode, target, limits
        self._passing = target.base_yaw is None and any(one.base_position is not None for one in onward[:1])
        base, self._drivetrain = episode.base, episode.drivetrain
        self._goal = np.array(base.position if target.base_position is None else target.base_position)
        named = [
            one.base_yaw for one in (target, *(onward if self._passing else ())) if one.base_yaw is not None
        ]
        self._goal_yaw = named[0] if named else base.yaw
        self._goal_torso = target.torso_m
        self._history: deque[NDArray[np.float64]] = deque(maxlen=limits.stall_steps + 1)
        self._moved_m = 0.0
        self.steps = 0
        self.offset = np.zeros(3)
        self._turn = self._rise = 0.0

    def measure(self) -> None:
        """Compare the base with the target."""
        base = self._episode.base
        self.offset = np.array([*(self._goal - base.position), 0.0])
        self._turn = wrap_angle(self._goal_yaw - base.yaw)
        self._rise = 0.0 if self._goal_torso is None else self._goal_torso - base.torso_m
        if self._placed:
            self._history.clear()
        self._history.append(np.array([*self.errors, abs(self._rise)]))

    @property
    def errors(self) -> NDArray[np.float64]:
        """Metres and radians that are left."""
        return np.array([np.linalg.norm(self.offset), abs(self._turn)])

    @property
    def stalled(self) -> bool:
        """Whether nothing that is left has shrunk over the last `stall_steps` steps."""
        history = self._history
        return len(history) == history.maxlen and not np.any(history[0] - history[-1] >= PROGRESS)

    @property
    def _placed(self) -> bool:
        limits = self._limits
        metres, radians = limits.base_tolerance_m, limits.base_tolerance_rad
        if self._passing:
            metres, radians = max(metres, CORNER_M), math.inf
        near = bool(np.all(self.errors <= (metres, radians)))
        return near and abs(self._rise) <= TORSO_TOLERANCE_M

    @property
    def arrived(self) -> bool:
        """Whether pose, torso, commanded fingers and minimum stay are as asked."""
        return self._placed and self._fingers == HOLD and self.steps >= self._target.steps

    @property
    def at_rest(self) -> bool:
        """Whether the base stands still."""
        return self._moved_m <= AT_REST_M

    @property
    def _fingers(self) -> float:
        return self._target.finger_command(self._episode.arm.gripper_command)

    def step(self) -> None:
        """Take one control step: of the torso until it is as high as asked, then of the base."""
        before = np.array(self._episode.base.position)
        if abs(self._rise) > TORSO_TOLERANCE_M:
            self._episode.lift(self._rise, self._fingers)
        else:
            self._episode.drive(*self._speeds(), self._fingers)
        self.steps += 1
        self._moved_m = float(np.linalg.norm(self._episode.base.position - before))

    def _speeds(self) -> tuple[float, float, float]:
        """Return speeds forward, left (m/s) and of the turn (rad/s) of the point that the base turns about."""
        base, can, target = self._episode.base, self._drivetrain, self._target
        pivot, goal = (
            place + can.pivot_m * np.array([np.cos(yaw), np.sin(yaw)])
            for place, yaw in ((base.position, base.yaw), (self._goal, self._goal_yaw))
        )
        left = goal - pivot
        fastest = min(can.max_speed_m_s, target.max_step_m * CONTROL_FREQ_HZ)
        distance = float(np.linalg.norm(left))
        wanted = fastest if self._passing else min(fastest, GAIN_PER_S * distance)
        speed = left * (wanted / max(distance, 1e-6))
        c, s = np.cos(base.yaw), np.sin(base.yaw)
        spin = min(can.max_turn_rad_s, target.max_step_rad * CONTROL_FREQ_HZ)
        turn = float(np.clip(GAIN_PER_S * self._turn, -spin, spin))
        return float(c * speed[0] + s * speed[1]), float(c * speed[1] - s * speed[0]), turn
