"""The robot in the simulator: a Panda arm on a mobile base. One control step, and the state of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from rpent_manipulation.mujoco.arm import PandaState
from rpent_manipulation.mujoco.forces import hand_bodies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robot_robocasa.server.kitchen import Kitchen


def _site(model: Any, name: str) -> int:
    return int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name))


def _body(model: Any, name: str) -> int:
    return int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))


class Arm(PandaState):
    """The Panda and its gripper as they are now."""

    def __init__(self, kitchen: Kitchen) -> None:
        model, robot = kitchen.model, kitchen.robot
        name = robot.robot_model.eef_name["right"]
        super().__init__(
            model,
            kitchen.data,
            site=int(robot.eef_site_id["right"]),
            hand=_body(model, name),
            joints=robot.robot_model.arm_joints,
            fingers=robot._ref_gripper_joint_pos_indexes["right"],
            gripper=robot.gripper["right"],
        )
        self.hand_bodies = hand_bodies(model, name)
        """Ids of the hand's body and of the fingers'."""
        self._root = _body(model, "robot0_link0")

    @property
    def base_position(self) -> NDArray[np.float64]:
        """(3,) the arm's own base (`link0`), world, metres: it rises with the torso."""
        return np.array(self._data.xpos[self._root])


class Base:
    """The mobile base with its torso as they are now."""

    def __init__(self, kitchen: Kitchen) -> None:
        model = kitchen.model
        self._data = kitchen.data
        self._site = _site(model, kitchen.robot.robot_model.base.correct_naming("center"))
        self._torso_qpos = int(model.joint(kitchen.robot.robot_model.torso_joints[0]).qposadr[0])

    @property
    def pose(self) -> NDArray[np.float64]:
        """(4, 4) in the world of `robot0_base_pos`, where the arm is mounted: x ahead, y to the left."""
        pose = np.eye(4)
        pose[:3, :3] = self._data.site_xmat[self._site].reshape(3, 3)
        pose[:3, 3] = self._data.site_xpos[self._site]
        return pose

    @property
    def rotation(self) -> NDArray[np.float64]:
        """(3, 3) of `pose`."""
        return np.array(self._data.site_xmat[self._site]).reshape(3, 3)

    @property
    def position(self) -> NDArray[np.float64]:
        """(2,) where it stands (`robot0_base_pos` without its height), world, metres."""
        return np.array(self._data.site_xpos[self._site][:2])

    @property
    def yaw(self) -> float:
        """Which way it faces, radians about the world's vertical axis; at 0 along +x."""
        matrix = self._data.site_xmat[self._site]
        return float(np.arctan2(matrix[3], matrix[0]))

    @property
    def torso_m(self) -> float:
        """How far its torso is raised, metres."""
        return float(self._data.qpos[self._torso_qpos])


class Robot:
    """Drives a kitchen's robot. Made anew for each kitchen."""

    def __init__(self, kitchen: Kitchen) -> None:
        self._kitchen, self._env = kitchen, kitchen.env
        self._model, self._data = kitchen.model, kitchen.data
        self._substeps = int(self._env.control_timestep / self._env.model_timestep)
        self.arm, self.base = Arm(kitchen), Base(kitchen)
        parts = kitchen.robot.composite_controller.part_controllers
        self.controller: Any = parts["right"]
        """The arm's `OperationalSpaceController`."""
        self._eef_site = _site(self._model, self.controller.ref_name)
        first = parts["base"].init_ori
        self.first_yaw = float(np.arctan2(first[1, 0], first[0, 0]))
        """Which way the base faced at the reset, radians."""

    @property
    def site_rotation(self) -> NDArray[np.float64]:
        """(3, 3) orientation of the site that the arm's controller moves, world."""
        return np.array(self._data.site_xmat[self._eef_site]).reshape(3, 3)

    def control_step(self, action: NDArray[np.float64]) -> bool:
        """Advance one control step (1/20 s) with a 12-vector in [-1, 1].

        It is the step of the benchmark's gymnasium environment, bit for bit, without the simulator's observables. That
        one evaluates the goal twice, the second time with the fixtures' new state: tasks that count time in their goal
        count both.

        Returns:
            Whether the benchmark's goal holds on the step's own contacts and poses.
        """
        env, model, data, control = self._env, self._model, self._data, self._kitchen.robot.control
        env.timestep += 1
        for substep in range(self._substeps):
            mujoco.mj_step1(model, data)
            control(action, policy_step=substep == 0)
            mujoco.mj_step2(model, data)
        env.cur_time += env.control_timestep
        env._post_action(action)
        return bool(env._check_success())

    def refresh(self) -> None:
        """Bring poses in line with the joints; a step leaves them one physics step behind."""
        mujoco.mj_kinematics(self._model, self._data)
