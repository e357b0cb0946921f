"""Exact snapshots: what must come back so that the same actions give the same trajectory bit for bit.

The scene itself is not in them: the seed builds it again. Besides MuJoCo's integration state (which holds the solver's
warm start) that is what the simulator keeps in Python and writes into the model; see `plain` and `model_state`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import mujoco
import numpy as np
from rpent_manipulation.env.archive import SnapshotError, array_like, pack, reading, unpack
from rpent_manipulation.env.guardrails import count
from rpent_manipulation.env.running import Counters

from rpent_robot_robocasa.config import LAYOUTS, Split
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.server.model_state import ModelState
from rpent_robot_robocasa.server.plain import PlainState

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        choice = kitchen.choice
        header = {
            "format": FORMAT,
            "task": kitchen.task.name,
            "split": choice.split,
            "layout": choice.layout,
            "style": choice.style,
            "scene": self._scene,
            **episode.counters(),
            "python": self._plain.changes(),
            "random": kitchen.env.rng.bit_generator.state,
        }
        arrays: dict[str, Any] = {f"{_MODEL}{name}": value for name, value in self._model.changes().items()}
        return pack(header, {"state": self._state(), **arrays})

    def load(self, episode: Episode, data: bytes) -> None:
        """Bring an episode of the same scene to a saved state.

        Raises:
            SnapshotError: The snapshot is malformed or of another scene.
        """
        header, arrays = unpack(data, version=FORMAT)
        kitchen = self._kitchen
        with reading():  # all of it is checked before anything is changed
            if header["scene"] != self._scene:
                raise SnapshotError("The snapshot was made in another scene, or with other kitchen assets.")
            counters = Counters.of(header)
            state = array_like(arrays["state"], self._state(), "state")
            plain = self._plain.read(header["python"])
            model = self._model.read(
                {key.removeprefix(_MODEL): value for key, value in arrays.items() if key.startswith(_MODEL)}
            )
            random = type(kitchen.env.rng.bit_generator)()
            random.state = header["random"]
        self._plain.apply(plain)
        self._model.apply(model)
        kitchen.env.rng.bit_generator.state = random.state
        episode.come_back(counters)
        mujoco.mj_setState(kitchen.model, kitchen.data, state, _STATE)
        mujoco.mj_forward(kitchen.model, kitchen.data)
        # forward moved the solver's warm start; derived quantities are right now, so put the state back as it was.
        mujoco.mj_setState(kitchen.model, kitchen.data, state, _STATE)

    def _state(self) -> NDArray[np.float64]:
        model, data = self._kitchen.model, self._kitchen.data
        state = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, state, _STATE)
        return state


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedKitchen:
    """Which kitchen a snapshot was made in."""

    task: str
    choice: Choice
    seed: int


def saved_kitchen(data: bytes) -> SavedKitchen:
    """Return which kitchen a snapshot was made in.

    Raises:
        SnapshotError: These bytes are no snapshot that this version reads.
    """
    header, _ = unpack(data, version=FORMAT)
    with reading():
        layout, style = (
            None if header[key] is None else count(header[key], 1, LAYOUTS, f"`{key}`")
            for key in ("layout", "style")
        )
        if header["split"] not in get_args(Split):
            raise SnapshotError(f"The snapshot is of the unknown split `{header['split']}`.")
        choice = Choice(split=header["split"], layout=layout, style=style)
        return SavedKitchen(task=str(header["task"]), choice=choice, seed=Counters.of(header).seed)


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
