"""A base on wheels without a simulator: what it is told to do is what it does, one control step later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent.cancel import CancelToken
from rpent_manipulation.env.episode import PLAIN, Tracking
from rpent_manipulation.env.guardrails import Workspace

STEP_S = 0.05


@dataclass
class Hand:
    """An arm that stands still."""

    position: NDArray[np.float64] = field(default_factory=lambda: np.array([0.3, 0.0, 1.2]))
    rotation: NDArray[np.float64] = field(default_factory=lambda: np.diag([1.0, -1.0, -1.0]))
    gripper_opening_m: float = 0.08
    gripper_command: float = -1.0


@dataclass
class Base:
    """A pose and a torso."""

    position: NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    yaw: float = 0.0
    torso_m: float = 0.0


@dataclass(frozen=True)
class Drivetrain:
    """A base that turns about a point behind it."""

    max_speed_m_s: float = 0.75
    max_turn_rad_s: float = 1.3
    pivot_m: float = -0.2
    torso_range_m: tuple[float, float] = (0.0, 0.34)


@dataclass
class DrivenEpisode:
    """A mobile episode: the base takes on a speed within some steps, and a wall may stop it."""

    wall_x: float = np.inf
    lag: float = 0.4
    max_steps: int = 10_000
    arm: Hand = field(default_factory=Hand)
    base: Base = field(default_factory=Base)
    drivetrain: Drivetrain = field(default_factory=Drivetrain)
    tracking: Tracking = PLAIN
    steps: int = 0
    success: bool = False
    track: list[NDArray[np.float64]] = field(default_factory=list)
    fastest: NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    workspace: Workspace = field(
        default_factory=lambda: Workspace(low=np.array([-5.0, -5.0, 0.0]), high=np.array([5.0, 5.0, 2.0]))
    )
    _speed: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))

    @property
    def over(self) -> bool:
        return self.success or self.steps >= self.max_steps

    def move(self, offset_m: NDArray[np.float64], turn_rad: NDArray[np.float64], gripper: float) -> None:
        self._roll(np.zeros(3), gripper)
        self.arm.position = self.arm.position + np.clip(offset_m, -0.02, 0.02)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float, gripper: float) -> None:
        assert np.hypot(forward_m_s, left_m_s) <= self.drivetrain.max_speed_m_s + 1e-9
        assert abs(turn_rad_s) <= self.drivetrain.max_turn_rad_s + 1e-9
        c, s = np.cos(self.base.yaw), np.sin(self.base.yaw)
        wanted = np.array([c * forward_m_s - s * left_m_s, s * forward_m_s + c * left_m_s, turn_rad_s])
        self._roll(wanted, gripper)

    def lift(self, up_m: float, gripper: float) -> None:
        self._roll(np.zeros(3), gripper)
        self.base.torso_m += float(np.clip(up_m, -0.025, 0.025))

    def hand_force_n(self) -> float:
        return 0.0

    def observation(self) -> dict[str, Any]:
        return {"step": self.steps, "base_position": self.base.position, "base_yaw_rad": self.base.yaw}

    def _roll(self, wanted: NDArray[np.float64], gripper: float) -> None:
        self._speed = self._speed + (wanted - self._speed) * (1 - self.lag)
        self.fastest = np.maximum(self.fastest, [np.linalg.norm(self._speed[:2]), abs(self._speed[2])])
        pivot = self.base.position + self._pivot()
        pivot = pivot + self._speed[:2] * STEP_S
        self.base.yaw += float(self._speed[2]) * STEP_S
        self.base.position = pivot - self._pivot()
        self.base.position[0] = min(self.base.position[0], self.wall_x)
        self.arm.gripper_command = float(np.clip(self.arm.gripper_command + 0.2 * np.sign(gripper), -1, 1))
        self.track.append(self.base.position.copy())
        self.steps += 1

    def _pivot(self) -> NDArray[np.float64]:
        return self.drivetrain.pivot_m * np.array([np.cos(self.base.yaw), np.sin(self.base.yaw)])


class Call:
    """What a servo motion needs of a call."""

    def __init__(self, cancel_after: int | None = None) -> None:
        self.cancel, self.reports, self._after = CancelToken(), 0, cancel_after

    def report(self, progress: Any) -> None:
        self.reports += 1
        if self._after is not None and self.reports >= self._after:
            self.cancel.cancel()


@pytest.fixture(scope="session")
def make_episode() -> type[DrivenEpisode]:
    """Make a mobile episode."""
    return DrivenEpisode


@pytest.fixture(scope="session")
def make_call() -> type[Call]:
    """Make the context of a call."""
    return Call
