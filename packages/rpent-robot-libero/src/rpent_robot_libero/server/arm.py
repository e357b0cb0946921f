"""The Panda arm in the simulator: one control step of the benchmark's OSC_POSE controller, and its state.

A control step is robosuite's, bit for bit: 25 times forward, controller, physics. What is left out is what
does not reach the physics: observables, name look-ups, and position and velocity stages that robosuite
computes three times for the same state (`mj_forwardSkip`, `mj_step2`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from rpent_manipulation.mujoco.arm import PandaState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robot_libero.server.scene import Scene

ACTION_DIM = 7


class Arm(PandaState):
    """Drives a scene's robot. Made anew after each reset, when robosuite has made a new controller."""

    def __init__(self, scene: Scene) -> None:
        self._model = scene.model
        self.controller: Any = scene.controller
        robot, env = scene.robot, scene.env
        super().__init__(
            scene.model,
            scene.data,
            site=mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_SITE, self.controller.eef_name),
            hand=mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, robot.robot_model.eef_name),
            joints=robot.robot_joints,
            fingers=robot._ref_gripper_joint_pos_indexes,
            gripper=robot.gripper,
        )
        self._substeps = int(env.control_timestep / env.model_timestep)
        self._arm_ctrl = np.array(robot._ref_joint_actuator_indexes)
        self._finger_ctrl = np.array(robot._ref_joint_gripper_actuator_indexes)
        self._torque_low, self._torque_high = robot.torque_limits
        finger_range = self._model.actuator_ctrlrange[self._finger_ctrl]
        self._finger_bias = 0.5 * (finger_range[:, 1] + finger_range[:, 0])
        self._finger_weight = 0.5 * (finger_range[:, 1] - finger_range[:, 0])
        self._mass = np.zeros((self._model.nv, self._model.nv))

    def control_step(self, action: NDArray[np.float64]) -> None:
        """Advance one control step (1/20 s) with a 7-vector in [-1, 1]: position, rotation, gripper."""
        model, data, controller = self._model, self._data, self.controller
        for substep in range(self._substeps):
            mujoco.mj_forward(model, data)
            if (
                controller.new_update
            ):  # false once: robosuite's first step after a reset uses the reset's values
                # robosuite's update calls mj_forward again: same state, so only the constraint solver, which
                # warm-starts from its own last answer, gives another result.
                mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
                self._update_controller()
            if substep == 0:
                controller.set_goal(action[:6])
            torques = np.clip(controller.run_controller(), self._torque_low, self._torque_high)
            fingers = self.gripper.format_action(action[6:])
            data.ctrl[self._finger_ctrl] = self._finger_bias + self._finger_weight * fingers
            data.ctrl[self._arm_ctrl] = torques
            mujoco.mj_step2(model, data)

    def refresh(self) -> None:
        """Bring poses in line with the joints; a step leaves them one physics step behind."""
        mujoco.mj_kinematics(self._model, self._data)

    def _update_controller(self) -> None:
        """Do what `Controller.update` does, without its name look-ups and its third `mj_forward`."""
        model, data, controller = self._model, self._data, self.controller
        jac_position, jac_rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jac_position, jac_rotation, self._site)
        controller.ee_pos = np.array(data.site_xpos[self._site])
        controller.ee_ori_mat = np.array(data.site_xmat[self._site].reshape([3, 3]))
        controller.ee_pos_vel = np.dot(jac_position, data.qvel)
        controller.ee_ori_vel = np.dot(jac_rotation, data.qvel)
        controller.joint_pos = np.array(data.qpos[controller.qpos_index])
        controller.joint_vel = np.array(data.qvel[controller.qvel_index])
        # `np.array` keeps the memory order of the fancy index, which BLAS results depend on in the last bit.
        controller.J_pos = np.array(jac_position[:, controller.qvel_index])
        controller.J_ori = np.array(jac_rotation[:, controller.qvel_index])
        controller.J_full = np.array(np.vstack([controller.J_pos, controller.J_ori]))
        mujoco.mj_fullM(model, data, self._mass)
        controller.mass_matrix = self._mass[controller.qvel_index, :][:, controller.qvel_index]
        controller.new_update = False
