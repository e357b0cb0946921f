"""Closed-loop motion inside the server: one call for a whole `move_to`.

Each control step commands the remaining offset, limited to the waypoint's speed, so the controller's own
goal is the target itself once it is within reach of one action. What a waypoint does not mention is held as
it was when the waypoint began: position by feedback, orientation by the controller's latched goal. Waypoints
of a mobile base are driven to by `rpent_manipulation.env.mobile`.
"""

from __future__ import annotations

from collections import deque
from itertools import takewhile
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.env.episode import HOLD
from rpent_manipulation.env.mobile import Driving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rpent.rpc.facade import CallContext

    from rpent_manipulation.env.episode import MobileEpisode, ServoedEpisode
    from rpent_manipulation.env.targets import Limits, Target

FINGERS_STILL_M = 0.0005
"""Fingers that move less than this per control step, twice in a row, stand still."""
AT_REST_M = 0.002
"""At the last target the arm must also move less than this per control step, or it would coast on."""
PROGRESS = np.array([0.001, 0.005])
"""Metres and radians by which one of the errors must shrink within `stall_steps`; else the arm is blocked."""
PATIENCE = 3
"""An arm that swings to and fro makes and loses progress: without a new best in so many `stall_steps` it is blocked."""
REPORT_EVERY = 20

Stop = tuple[str, str]
"""A status and one clause on why."""


class Servo:
    """One servo motion over several targets."""

    def __init__(
        self, episode: ServoedEpisode, targets: Sequence[Target], limits: Limits, call: CallContext
    ) -> None:
        self._episode, self._targets, self._limits, self._call = episode, targets, limits, call
        self._steps = 0
        self._position_error = self._rotation_error = 0.0

    def run(self) -> dict[str, Any]:
        """Move through the targets; returns `rpent.env.ServoResult` as plain data."""
        status, detail, reached = "reached", "", 0
        for target in self._targets:
            status, detail = self._reach(self._approach(reached), target)
            if status != "reached":
                break
            reached += 1
        return {
            "status": status,
            "waypoints_reached": reached,
            "steps": self._steps,
            "position_error_m": self._position_error,
            "rotation_error_rad": self._rotation_error,
            "observation": self._episode.observation(),
            "detail": detail,
        }

    def _approach(self, index: int) -> _Approach | Driving:
        """Return the way to the target of that index: the hand's or the base's."""
        target = self._targets[index]
        if not target.moves_base:
            return _Approach(self._episode, target, self._limits)
        onward = list(takewhile(lambda one: one.moves_base, self._targets[index + 1 :]))
        return Driving(cast("MobileEpisode", self._episode), target, self._limits, onward)

    def _reach(self, approach: _Approach | Driving, target: Target) -> Stop:
        last = target is self._targets[-1]
        while True:
            approach.measure()
            self._position_error, self._rotation_error = (float(error) for error in approach.errors)
            if approach.arrived and (approach.at_rest or not last):
                return "reached", ""
            stop = self._must_stop(approach)
            if stop is not None:
                return stop
            approach.step()
            self._steps += 1
            if self._steps % REPORT_EVERY == 0:
                self._call.report({"step": self._episode.steps, "position_error_m": self._position_error})

    def _must_stop(self, approach: _Approach | Driving) -> Stop | None:
        episode, limits = self._episode, self._limits
        if episode.over:
            why = "the task succeeded" if episode.success else "the step limit is reached"
            return "episode_over", why
        if self._call.cancel.cancelled:
            return "cancelled", "the call was cancelled"
        if self._steps >= limits.max_steps:
            return "step_budget", f"{_shortfall(approach.offset)} after {self._steps} steps"
        if approach.stalled:
            return "stalled", f"blocked: {_shortfall(approach.offset)}"
        if limits.contact_force_n is not None and approach.steps:
            force = episode.hand_force_n()
            if force > limits.contact_force_n:
                return "stalled", f"contact force {force:.1f} N"
        return None


class _Approach:
    """The way to one target."""

    def __init__(self, episode: ServoedEpisode, target: Target, limits: Limits) -> None:
        self._episode, self._target, self._limits = episode, target, limits
        arm = episode.arm
        self._goal_position = arm.position if target.position is None else target.position
        self._goal_rotation = target.rotation(arm.rotation)
        self._history: deque[NDArray[np.float64]] = deque(maxlen=limits.stall_steps + 1)
        self._best = np.full(2, np.inf)
        self._since_best = 0
        self._moved = np.zeros(3)
        self._moved_m = 0.0
        self._fingers_still = 0
        self.steps = 0
        self.offset = self.turn = np.zeros(3)
        self.errors = np.zeros(2)

    def measure(self) -> None:
        """Compare the arm with the target."""
        arm = self._episode.arm
        self.offset = self._goal_position - arm.position
        if self._goal_rotation is not None:
            self.turn = rotations.rotation_vector(self._goal_rotation @ arm.rotation.T)
        self.errors = np.array([np.linalg.norm(self.offset), np.linalg.norm(self.turn)])
        if self._placed:  # only fingers or the minimum stay are waited for: no progress is expected
            self._history.clear()
        self._history.append(self.errors)
        better = self._best - self.errors >= PROGRESS
        self._best = np.where(better, self.errors, self._best)
        self._since_best = 0 if self._placed or better.any() else self._since_best + 1

    @property
    def stalled(self) -> bool:
        """Whether neither error has shrunk over the last `stall_steps` steps, or for long below what it was before."""
        history = self._history
        if self._since_best >= PATIENCE * self._limits.stall_steps:
            return True
        return len(history) == history.maxlen and not np.any(history[0] - history[-1] >= PROGRESS)

    @property
    def _placed(self) -> bool:
        limits = self._limits
        return bool(np.all(self.errors <= (limits.position_tolerance_m, limits.rotation_tolerance_rad)))

    @property
    def arrived(self) -> bool:
        """Whether pose, fingers and minimum stay are as asked."""
        settled = not self._limits.gripper_settled or self._fingers_still >= 2
        return self._placed and settled and self._gripper == HOLD and self.steps >= self._target.steps

    @property
    def at_rest(self) -> bool:
        """Whether the arm stands still."""
        return self._moved_m <= AT_REST_M

    @property
    def _gripper(self) -> float:
        return self._target.finger_command(self._episode.arm.gripper_command)

    def step(self) -> None:
        """Take one control step towards the target."""
        arm = self._episode.arm
        position, opening = arm.position, arm.gripper_opening_m
        tracking = self._episode.tracking
        wanted = tracking.gain * self.offset - tracking.damping * self._moved
        offset = _limit(wanted, self._target.max_step_m)
        self._episode.move(offset, _limit(self.turn, self._target.max_step_rad), self._gripper)
        self.steps += 1
        self._moved = arm.position - position
        self._moved_m = float(np.linalg.norm(self._moved))
        still = abs(arm.gripper_opening_m - opening) < FINGERS_STILL_M
        self._fingers_still = self._fingers_still + 1 if still else 0


def _limit(vector_: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    norm = float(np.linalg.norm(vector_))
    return vector_ if norm <= length else vector_ * (length / norm)


def _shortfall(offset: NDArray[np.float64]) -> str:
    axis = int(np.argmax(np.abs(offset)))
    return f"{np.linalg.norm(offset):.3f} m short, most along {'+' if offset[axis] > 0 else '-'}{'xyz'[axis]}"
