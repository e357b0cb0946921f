"""A Panda arm with its gripper as it is now, read from a MuJoCo scene that robosuite has built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation import rotations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class PandaState:
    """What `rpent_manipulation.env.episode.ArmState` asks for, and what observations tell besides.

    Args:
        model: The scene's `mujoco.MjModel`.
        data: Its state.
        site: Id of the site between the finger tips.
        hand: Id of the hand's body.
        joints: Names of the arm's seven joints, from the base on.
        fingers: Addresses of the two finger joints in `qpos`.
        gripper: robosuite's gripper, which keeps the commanded width.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        site: int,
        hand: int,
        joints: Sequence[str],
        fingers: Sequence[int],
        gripper: Any,
    ) -> None:
        self._data = data
        self._site, self._hand = site, hand
        self.joint_names = tuple(joints)
        self._joint_qpos = np.array([model.joint(name).qposadr[0] for name in self.joint_names])
        self._finger_qpos = np.array(fingers)
        self.gripper = gripper

    @property
    def position(self) -> NDArray[np.float64]:
        """(3,) the grasp point between the finger tips, world, metres."""
        return np.array(self._data.site_xpos[self._site])

    @property
    def rotation(self) -> NDArray[np.float64]:
        """(3, 3) orientation of the hand in the world: z is the approach axis, the fingers close along y.

        It is that of robosuite's `robot0_eef_quat`. (The site that its controller moves is turned by 90 degrees about
        z, which makes no difference to actions that are rotations in the world's frame.)
        """
        return np.array(self._data.xmat[self._hand]).reshape(3, 3)

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """(4,) x y z w of `rotation`, with the simulator's own sign, which datasets keep (`robot0_eef_quat`)."""
        return np.array(self._data.xquat[self._hand])[[1, 2, 3, 0]]

    @property
    def joint_positions(self) -> NDArray[np.float64]:
        """(7,) radians."""
        return np.array(self._data.qpos[self._joint_qpos])

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
        """The width that is commanded: -1 open to 1 closed. The sign of an action moves it, by some tenths a step."""
        return float(self.gripper.current_action[-1])

    def observation(self) -> dict[str, Any]:
        """Return the arm's part of an observation, without pictures; see `rpent.env.Observation`."""
        yaw, pitch = rotations.yaw_pitch(self.rotation)
        return {
            "eef_position": self.position,
            "eef_quaternion": self.quaternion,
            "gripper_opening_m": self.gripper_opening_m,
            "joint_positions": self.joint_positions,
            "images": {},
            "depth": {},
            "cameras": {},
            "extra": {
                "yaw_rad": yaw,
                "pitch_rad": pitch,
                "gripper_command": self.gripper_command,
                "gripper_qpos": self.finger_positions,
            },
        }
