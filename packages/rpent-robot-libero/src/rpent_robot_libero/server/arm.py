"""The Panda arm in the simulator: one control step of the benchmark's OSC_POSE controller, and its state.

A control step is robosuite's, bit for bit: 25 times forward, controller, physics. What is left out is what
does not reach the physics: observables, name look-ups, and position and velocity stages that robosuite
computes three times for the same state (`mj_forwardSkip`, `mj_step2`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robot_libero.server.scene import Scene

ACTION_DIM = 7


class Arm:
    """Drives a scene's robot. Made anew after each reset, when robosuite has made a new controller."""

    def __init__(self, scene: Scene) -> None:
        self._model, self._data = scene.model, scene.data
        self.controller: Any = scene.controller
        robot, env = scene.robot, scene.env
        self.gripper: Any = robot.gripper
        self._substeps = int(env.control_timestep / env.model_timestep)
        self._site = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_SITE, self.controller.eef_name)
        self._hand = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, robot.robot_model.eef_name)
        self._arm_ctrl = np.array(robot._ref_joint_actuator_indexes)
        self._finger_qpos = np.array(robot._ref_gripper_joint_pos_indexes)
        self._finger_ctrl = np.array(robot._ref_joint_gripper_actuator_indexes)
        self._torque_low, self._torque_high = robot.torque_limits
        finger_range = self._model.actuator_ctrlrange[self._finger_ctrl]
        self._finger_bias = 0.5 * (finger_range[:, 1] + finger_range[:, 0])
        self._finger_weight = 0.5 * (finger_range[:, 1] - finger_range[:, 0])
        self.joint_names: tuple[str, ...] = tuple(robot.robot_joints)
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

    @property
    def position(self) -> NDArray[np.float64]:
        """(3,) the grasp point between the finger tips, world, metres."""
        return np.array(self._data.site_xpos[self._site])

    @property
    def rotation(self) -> NDArray[np.float64]:
        """(3, 3) orientation of the hand in the world: z is the approach axis, the fingers close along y.

        It is the benchmark's `robot0_eef_quat`. (The controller's own site is turned by 90 degrees about z,
        which makes no difference to its actions: they are rotations in the world frame.)
        """
        return np.array(self._data.xmat[self._hand]).reshape(3, 3)

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """(4,) x y z w of `rotation`, with the simulator's own sign, which the datasets of LIBERO keep."""
        return np.array(self._data.xquat[self._hand])[[1, 2, 3, 0]]

    @property
    def joint_positions(self) -> NDArray[np.float64]:
        """(7,) radians."""
        return np.array(self._data.qpos[self.controller.qpos_index])

    @property
    def finger_positions(self) -> NDArray[np.float64]:
        """(2,) joint positions of the fingers, metres: 0.04 and -0.04 open (`robot0_gripper_qpos`)."""
        return np.array(self._data.qpos[self._finger_qpos])

    @property
    def gripper_opening_m(self) -> float:
        """Distance between the finger pads, metres: 0 closed, 0.08 open."""
        left, right = self._data.qpos[self._finger_qpos]
        return float(left - right)

    @property
    def gripper_command(self) -> float:
        """The width that is commanded: -1 open to 1 closed. Action signs move it by 0.25 a control step."""
        return float(self.gripper.current_action[-1])
