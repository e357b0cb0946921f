"""Exact snapshots: what must come back so that the same actions give the same trajectory bit for bit.

The scene itself is not in them: the seed builds it again. Besides MuJoCo's integration state (which holds the solver's
warm start) that is what the simulator keeps in Python and writes into the model; see `plain` and `model_state`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from rpent_manipulation.env.archive import SnapshotError, pack, unpack

from rpent_robot_robocasa.server.model_state import ModelState
from rpent_robot_robocasa.server.plain import PlainState

if TYPE_CHECKING:
    from rpent_robot_robocasa.server.episode import Episode
    from rpent_robot_robocasa.server.kitchen import Kitchen

FORMAT = 1
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_MODEL = "model."


class Snapshots:
    """Saves and loads the state of one kitchen."""

    def __init__(self, kitchen: Kitchen) -> None:
        """Remember how the reset left the kitchen."""
        self._kitchen = kitchen
        self._plain = PlainState(_owners(kitchen))
        self._model = ModelState(kitchen.model)
        self._scene = _fingerprint(kitchen.model)

    def save(self, episode: Episode) -> bytes:
        """Return the episode's exact state."""
        kitchen = self._kitchen
        state = np.empty(mujoco.mj_stateSize(kitchen.model, _STATE))
        mujoco.mj_getState(kitchen.model, kitchen.data, state, _STATE)
        choice = kitchen.choice
        header = {
            "format": FORMAT,
            "task": kitchen.task.name,
            "split": choice.split,
            "layout": choice.layout,
            "style": choice.style,
            "seed": episode.seed,
            "scene": self._scene,
            "steps": episode.steps,
            "success": episode.success,
            "max_steps": episode.max_steps,
            "python": self._plain.changes(),
            "random": kitchen.env.rng.bit_generator.state,
        }
        arrays: dict[str, Any] = {f"{_MODEL}{name}": value for name, value in self._model.changes().items()}
        return pack(header, {"state": state, **arrays})

    def load(self, episode: Episode, data: bytes) -> None:
        """Bring an episode of the same scene to a saved state.

        Raises:
            SnapshotError: The snapshot is malformed or of another scene.
        """
        header, arrays = unpack(data, version=FORMAT)
        kitchen = self._kitchen
        if header["scene"] != self._scene:
            raise SnapshotError("The snapshot was made in another scene, or with other kitchen assets.")
        self._plain.apply(header["python"])
        self._model.apply(
            {key.removeprefix(_MODEL): value for key, value in arrays.items() if key.startswith(_MODEL)}
        )
        kitchen.env.rng.bit_generator.state = header["random"]
        episode.seed, episode.steps, episode.success = header["seed"], header["steps"], header["success"]
        episode.max_steps = header["max_steps"]
        episode.executed.clear()
        mujoco.mj_setState(kitchen.model, kitchen.data, arrays["state"], _STATE)
        mujoco.mj_forward(kitchen.model, kitchen.data)
        # forward moved the solver's warm start; derived quantities are right now, so put the state back as it was.
        mujoco.mj_setState(kitchen.model, kitchen.data, arrays["state"], _STATE)


def read_header(data: bytes) -> dict[str, Any]:
    """Return a snapshot's header: `task`, `split`, `layout`, `style`, `seed`, `steps`, ...

    Raises:
        SnapshotError: These bytes are no snapshot that this version reads.
    """
    header, _ = unpack(data, version=FORMAT)
    return header


def _owners(kitchen: Kitchen) -> dict[str, Any]:
    env, robot = kitchen.env, kitchen.robot
    parts = robot.composite_controller.part_controllers
    return {
        "task": env,
        "robot": robot,
        "controller": robot.composite_controller,
        **{f"controller {name}": part for name, part in parts.items()},
        **{f"gripper {name}": gripper for name, gripper in robot.gripper.items()},
        **{f"fixture {name}": fixture for name, fixture in env.fixtures.items()},
        **{f"object {name}": item for name, item in env.objects.items()},
    }


def _fingerprint(model: Any) -> str:
    """Return what tells the scene from others: its things' names and where they start."""
    digest = hashlib.sha256(bytes(model.names))
    digest.update(np.ascontiguousarray(model.qpos0).tobytes())
    digest.update(np.ascontiguousarray(model.body_pos).tobytes())
    return digest.hexdigest()
