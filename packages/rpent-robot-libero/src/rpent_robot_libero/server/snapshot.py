"""Exact snapshots: what must come back so that the same actions give the same trajectory bit for bit.

Besides MuJoCo's integration state (which holds the solver's warm start) that is: fixture poses and site
colours, which the benchmark writes into the model; the controller's latched goals and null-space posture; the
gripper's commanded width; the episode's counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from rpent_manipulation.env.archive import SnapshotError, array_like, pack, reading, unpack
from rpent_manipulation.env.guardrails import count
from rpent_manipulation.env.running import Counters

from rpent_robot_libero.server.model_store import MUTABLE_FIELDS

if TYPE_CHECKING:
    from rpent_robot_libero.server.episode import Episode

FORMAT = 1
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_CONTROLLER_FIELDS = ("goal_pos", "goal_ori", "initial_joint", "initial_ee_pos", "initial_ee_ori_mat")
_CONTROLLER_CACHE = (
    "ee_pos",
    "ee_ori_mat",
    "ee_pos_vel",
    "ee_ori_vel",
    "joint_pos",
    "joint_vel",
    "J_pos",
    "J_ori",
    "J_full",
    "mass_matrix",
)


def save(episode: Episode) -> bytes:
    """Return the episode's exact state."""
    scene, controller = episode.scene, episode.arm.controller
    state = np.empty(mujoco.mj_stateSize(scene.model, _STATE))
    mujoco.mj_getState(scene.model, scene.data, state, _STATE)
    arrays: dict[str, Any] = {"state": state, "gripper": np.array(episode.arm.gripper.current_action)}
    arrays |= {f"model.{name}": getattr(scene.model, name) for name in MUTABLE_FIELDS}
    arrays |= {f"controller.{name}": getattr(controller, name) for name in _CONTROLLER_FIELDS}
    if not controller.new_update:  # right after a reset: the next step uses values of before it
        arrays |= {f"controller.{name}": getattr(controller, name) for name in _CONTROLLER_CACHE}
    header = {
        "format": FORMAT,
        "task": [scene.task.suite, scene.task.index],
        **episode.counters(),
        "new_update": bool(controller.new_update),
        "sizes": [int(scene.model.nq), int(scene.model.nv), int(scene.model.nbody)],
    }
    return pack(header, arrays)


def saved_task(data: bytes) -> tuple[str, int, int]:
    """Return a snapshot's suite, index of the task, and seed.

    Raises:
        SnapshotError: These bytes are no snapshot that this version reads.
    """
    header, _ = unpack(data, version=FORMAT)
    with reading():
        suite, task = header["task"]
        return str(suite), count(task, 0, 10**6, "`task`"), Counters.of(header).seed


def load(episode: Episode, data: bytes) -> None:
    """Bring an episode of the same task to a saved state.

    Raises:
        SnapshotError: The snapshot is malformed or of another scene.
    """
    header, arrays = unpack(data, version=FORMAT)
    scene, controller = episode.scene, episode.arm.controller
    model = scene.model
    with reading():  # all of it is checked before anything is changed
        if header["sizes"] != [int(model.nq), int(model.nv), int(model.nbody)]:
            raise SnapshotError("The snapshot was made in another scene.")
        counters, new_update = Counters.of(header), bool(header["new_update"])
        state = array_like(arrays["state"], np.empty(mujoco.mj_stateSize(model, _STATE)), "state")
        fields = {
            name: array_like(arrays[f"model.{name}"], getattr(model, name), name) for name in MUTABLE_FIELDS
        }
        kept = (*_CONTROLLER_FIELDS, *(() if new_update else _CONTROLLER_CACHE))
        goals = {name: _numbers(arrays[f"controller.{name}"]) for name in kept}
        gripper = _numbers(arrays["gripper"])
    for name, value in fields.items():
        getattr(model, name)[:] = value
    for name, value in goals.items():
        setattr(controller, name, value)
    controller.new_update = new_update
    episode.arm.gripper.current_action = gripper
    episode.come_back(counters)
    episode.initial_state = scene.task.initial_state(episode.seed)
    mujoco.mj_setState(model, scene.data, state, _STATE)
    mujoco.mj_forward(model, scene.data)
    scene.update_visuals()
    # forward moved the solver's warm start; derived quantities are right now, so put the state back as it
    # was.
    mujoco.mj_setState(model, scene.data, state, _STATE)


def _numbers(value: Any) -> Any:
    if value.dtype.kind != "f":
        raise SnapshotError("The snapshot's controller is not made of numbers.")
    return value
