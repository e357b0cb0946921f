"""A base on wheels without a simulator: what it is told to do is what it does, one control step later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rpent.cancel import CancelToken
from rpent.env.types import CameraMeta, Observation, ServoResult
from rpent_manipulation.env.episode import PLAIN, Tracking
from rpent_manipulation.env.guardrails import Workspace
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until

STEP_S = 0.05


@dataclass
class Hand:
    """An arm that rides along."""

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
    """A mobile episode: the base takes on a speed within some steps, and a wall or a chair may stop it."""

    wall_x: float = np.inf
    chair: tuple[float, float, float] | None = None
    """A disc (x, y, radius) that the base's middle does not enter; no floor plan shows it."""
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
        before, yaw = self.base.position, self.base.yaw
        pivot = self.base.position + self._pivot()
        pivot = pivot + self._speed[:2] * STEP_S
        self.base.yaw += float(self._speed[2]) * STEP_S
        self.base.position = pivot - self._pivot()
        self.base.position[0] = min(self.base.position[0], self.wall_x)
        if self.chair is not None and np.hypot(*(self.base.position - self.chair[:2])) < self.chair[2]:
            self.base.position = before
        away = self.arm.position[:2] - before
        c, s = np.cos(self.base.yaw - yaw), np.sin(self.base.yaw - yaw)
        riding = self.base.position + np.array([[c, -s], [s, c]]) @ away
        self.arm.position = np.array([*riding, self.arm.position[2]])
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


class DrivenEnv:
    """An env client whose server drives a `DrivenEpisode` over a floor plan."""

    def __init__(self, episode: DrivenEpisode, occupied: NDArray[np.bool_], cell_m: float = 0.05) -> None:
        self.episode, self.calls = episode, list[str]()
        self.channel = self
        self._plan = {"origin": np.zeros(2), "cell_m": cell_m, "occupied": occupied}

    def call(self, method: str, **_: Any) -> Any:
        self.calls.append(method)
        return {"floor_plan": self._plan}[method]

    def describe(self) -> dict[str, Any]:
        space = self.episode.workspace
        return {"workspace": {"low": space.low, "high": space.high}, "reach_m": 1.0}

    def camera_meta(self, camera: str, *, size: int = 256) -> CameraMeta:
        yaw = self.episode.base.yaw + 0.4  # it looks a little to the left of ahead
        pose = np.eye(4)
        pose[:3, 2] = [np.cos(yaw), np.sin(yaw), -0.3]
        return CameraMeta(name=camera, width=size, height=size, intrinsics=np.eye(3), world_from_camera=pose)

    def observe(self, cameras: Any = (), **_: Any) -> Observation:
        self.calls.append("observe")
        assert not cameras
        return self._observation()

    def servo(self, targets: Any, until: Any = None, **_: Any) -> ServoResult:
        self.calls.append("servo")
        can = self.episode.drivetrain
        checked = parse_targets(targets, self.episode.workspace, torso_range_m=can.torso_range_m)
        result = Servo(self.episode, checked, parse_until(until), Call()).run()
        return ServoResult(**{**result, "observation": self._observation()})

    def _observation(self) -> Observation:
        episode, base = self.episode, self.episode.base
        return Observation(
            step=episode.steps,
            eef_position=episode.arm.position,
            eef_quaternion=np.array([np.cos(base.yaw / 2), np.sin(base.yaw / 2), 0.0, 0.0]),
            gripper_opening_m=0.08,
            joint_positions=np.array([0.0, -1.02, 0.0, -2.25, 0.0, 1.55, 0.69]),
            success=episode.success,
            terminated=episode.success,
            truncated=False,
            extra={
                "gripper_command": -1.0,
                "base_position": np.array([*base.position, 0.0]),
                "base_yaw_rad": base.yaw,
                "arm_base_position": np.array([*base.position, 0.7 + base.torso_m]),
                "torso_m": base.torso_m,
            },
        )


@pytest.fixture(scope="session")
def make_env() -> type[DrivenEnv]:
    """Make an env client."""
    return DrivenEnv
