"""One episode in a kitchen: control steps, the latched success, and what is observed.

The 12-vectors that the simulator takes are put together here and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.env.episode import POSITION_SCALE_M
from rpent_manipulation.env.guardrails import GuardrailError
from rpent_manipulation.env.running import RunningEpisode
from rpent_manipulation.mujoco.forces import gripper_force_n

from rpent_robot_robocasa.server import omron, room
from rpent_robot_robocasa.server.body import Arm, Base, Robot
from rpent_robot_robocasa.server.contacts import FingerContacts
from rpent_robot_robocasa.server.omron import ACTION_DIM, OmronDrivetrain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rpent_manipulation.env.guardrails import Workspace
    from rpent_manipulation.env.targets import Target

    from rpent_robot_robocasa.server.kitchen import Kitchen

REACH_M = 1.0
"""Farther from its base the arm holds no useful pose: a Panda's flange reaches 0.86 m, the grasp point 0.1 m on."""

_POSITION = slice(0, 3)


class Episode(RunningEpisode):
    """The running episode. Every control step of every method goes through `step`."""

    tracking = omron.TRACKING

    def __init__(self, kitchen: Kitchen, *, max_steps: int | None) -> None:
        """Begin in a kitchen that has just been reset.

        Args:
            kitchen: The kitchen.
            max_steps: Control steps until the episode is truncated; None takes the benchmark's horizon.
        """
        limit = kitchen.task.horizon if max_steps is None else max_steps
        super().__init__(seed=kitchen.seed, max_steps=limit, action_dim=ACTION_DIM)
        self.kitchen = kitchen
        self.robot = Robot(kitchen)
        self.workspace: Workspace = room.workspace(kitchen)
        self._fingers = FingerContacts(kitchen.env)
        self.robot.refresh()

    @property
    def arm(self) -> Arm:
        """The arm as it is now."""
        return self.robot.arm

    @property
    def base(self) -> Base:
        """The base as it is now."""
        return self.robot.base

    @property
    def drivetrain(self) -> OmronDrivetrain:
        """What the base can do."""
        return OmronDrivetrain()

    def check_reach(self, targets: Sequence[Target]) -> None:
        """Refuse a place that the arm cannot reach from where its base stands by then.

        Raises:
            GuardrailError: It is too far.
        """
        base = self.arm.base_position
        for index, target in enumerate(targets):
            if target.base_position is not None:
                base = np.array([*target.base_position, base[2]])
            if target.position is None:
                continue
            distance = float(np.linalg.norm(target.position - base))
            if distance > REACH_M:
                raise GuardrailError(
                    f"`targets[{index}].position` is {distance:.2f} m from the arm's base, which reaches "
                    f"{REACH_M:.2f} m.",
                    hint="Drive nearer first.",
                )

    def step(self, action: NDArray[np.float64]) -> None:
        """Carry out one control step of a 12-vector of finite numbers and evaluate the goal."""
        clamped = self._clamp(action)
        success = self.robot.control_step(clamped)
        self.executed.add(clamped)
        self.steps += 1
        self.success = success or self.success
        self.robot.refresh()
        self.after_step()

    def move(self, offset_m: NDArray[np.float64], turn_rad: NDArray[np.float64], gripper: float) -> None:
        """Carry out one control step of the arm; see `rpent_manipulation.env.episode`."""
        action = _null_action(gripper)
        arm = self.arm
        action[omron.ARM] = omron.arm_action(
            self.robot.controller, arm.position, self.robot.site_rotation, offset_m, turn_rad
        )
        self.step(action)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float, gripper: float) -> None:
        """Carry out one control step of the base; see `rpent_manipulation.env.episode`."""
        action = _null_action(gripper)
        turned = self.base.yaw - self.robot.first_yaw
        action[omron.BASE] = omron.drive_action(forward_m_s, left_m_s, turn_rad_s, turned_rad=turned)
        self.step(action)

    def lift(self, up_m: float, gripper: float) -> None:
        """Carry out one control step of the torso; see `rpent_manipulation.env.episode`."""
        action = _null_action(gripper)
        action[omron.TORSO] = omron.lift_action(up_m)
        self.step(action)

    def _clamp(self, action: NDArray[np.float64]) -> NDArray[np.float64]:
        """Limit an action to [-1, 1] and the hand's goal to the room; inside, it stays what it was."""
        clamped = np.clip(action, -1.0, 1.0)
        rotation = self.base.rotation
        offset = rotation @ clamped[_POSITION] * POSITION_SCALE_M
        goal = self.arm.position + offset
        outward = ((goal < self.workspace.low) & (offset < 0)) | ((goal > self.workspace.high) & (offset > 0))
        if outward.any():
            offset[outward] = 0.0
            clamped[_POSITION] = np.clip(rotation.T @ offset / POSITION_SCALE_M, -1.0, 1.0)
        return clamped

    def hand_force_n(self) -> float:
        """Return the largest net contact force between the hand and the world in the last physics step, newtons."""
        return gripper_force_n(self.kitchen.model, self.kitchen.data, self.arm.hand_bodies)

    def observation(self) -> dict[str, Any]:
        """Return the state as plain data; see `rpent.env.Observation`."""
        observed = self.arm.observation()
        observed["extra"] |= self._extra()
        return {**self.standing(), **observed}

    def _extra(self) -> dict[str, Any]:
        """Return what a mobile robot tells besides: its base, and the hand as seen from there."""
        import robosuite.utils.transform_utils as T  # noqa: N812, PLC0415

        arm, base = self.arm, self.base
        pose, hand = base.pose, np.eye(4)
        # As the simulator's sensors compute them, to the last bit: policies were trained on these.
        hand[:3, :3], hand[:3, 3] = T.quat2mat(arm.quaternion), arm.position
        relative = np.matmul(np.linalg.inv(pose), hand)
        return {
            "base_position": pose[:3, 3].copy(),
            "base_quaternion": T.mat2quat(pose[:3, :3]),
            "base_yaw_rad": base.yaw,
            "arm_base_position": arm.base_position,
            "torso_m": base.torso_m,
            "base_to_eef_position": relative[:3, 3].copy(),
            "base_to_eef_quaternion": T.mat2quat(relative[:3, :3]),
            "finger_contacts": self._fingers.touching(),
        }


def _null_action(gripper: float) -> NDArray[np.float64]:
    action = np.zeros(ACTION_DIM)
    action[omron.GRIPPER], action[omron.MODE] = gripper, omron.BASE_MODE
    return action
