"""A model that checks what it is asked as strictly as RLDX-1, remembers its sessions, and knows nothing."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_policy_rldx.wire import modality

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A modality configuration with the lengths of its vectors."""

    video: tuple[str, ...]
    state: Mapping[str, int]
    action: Mapping[str, int]
    video_deltas: tuple[int, ...] = (0,)
    state_deltas: tuple[int, ...] = (0,)
    horizon: int = 16
    picture: tuple[int, int] | None = None
    """Rows and columns of its pictures; None takes any."""
    language: str = "annotation.human.action.task_description"

    def modalities(self) -> dict[str, Any]:
        """Return it as servers send it."""
        return {
            "video": modality(keys=list(self.video), deltas=list(self.video_deltas)),
            "state": modality(keys=list(self.state), deltas=list(self.state_deltas)),
            "action": modality(keys=list(self.action), deltas=list(range(self.horizon))),
            "language": modality(keys=[self.language], deltas=[0]),
        }


LIBERO = Checkpoint(
    video=("front_view", "left_wrist_view"),
    state={"eef_pos_absolute": 3, "eef_rot_absolute": 3, "gripper_close": 2},
    action={"eef_pos_delta": 3, "eef_rot_delta": 3, "gripper_close": 1},
)
"""The LIBERO fine-tune."""


ROBOCASA = Checkpoint(
    video=("robot0_agentview_left", "robot0_agentview_right", "robot0_eye_in_hand"),
    state={
        "end_effector_position_relative": 3,
        "end_effector_rotation_relative": 4,
        "gripper_qpos": 2,
        "base_position": 3,
        "base_rotation": 4,
    },
    action={
        "end_effector_position": 3,
        "end_effector_rotation": 3,
        "gripper_close": 1,
        "base_motion": 4,
        "control_mode": 1,
    },
    video_deltas=(-6, -4, -2, 0),
    picture=(256, 256),
    language="annotation.human.task_description",
)
"""The RoboCasa365 fine-tune."""


@dataclass
class FakeModel:
    """Handlers of the endpoints. Each answer depends on the pictures, the state, the words and the session's memory."""

    checkpoint: Checkpoint = LIBERO
    observations: list[dict[str, Any]] = field(default_factory=list)
    """What was asked."""
    answers: list[dict[str, Any]] = field(default_factory=list)
    """What it answered: part → (B, T, D)."""
    options: list[dict[str, Any]] = field(default_factory=list)
    cleared: list[list[str] | None] = field(default_factory=list)
    """The sessions of each `reset`; None means all."""
    memory: Counter[str] = field(default_factory=Counter)

    def get_action(self, observation: dict[str, Any], options: dict[str, Any] | None = None) -> list[Any]:
        """Return `[action, info]`.

        Raises:
            AssertionError: As the real one, for whatever is not as it should be.
        """
        options = options or {}
        batch = self._check(observation)
        sessions, begins = options.get("session_ids"), options.get("reset_memory")
        assert sessions is None or len(sessions) == batch, "session_ids length != batch size"
        assert begins is None or len(begins) == batch, "reset_memory length != batch size"
        self.observations.append(observation)
        self.options.append(options)
        rows = [self._row(observation, index, *_memory(sessions, begins, index)) for index in range(batch)]
        answer = {name: np.stack([row[name] for row in rows]) for name in self.checkpoint.action}
        self.answers.append(answer)
        return [answer, {}]

    def reset(self, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Forget sessions; without `session_ids` everybody's."""
        ids = (options or {}).get("session_ids")
        self.cleared.append(ids)
        gone = [name for name in (list(self.memory) if ids is None else ids) if self.memory.pop(name, None)]
        return {"cleared_sessions": gone}

    def get_modality_config(self) -> dict[str, Any]:
        """Return the modalities."""
        return self.checkpoint.modalities()

    def _row(
        self, observation: dict[str, Any], index: int, session: str | None, begins: bool
    ) -> dict[str, NDArray[np.float32]]:
        if session is not None and begins:
            self.memory.pop(session, None)
        before = self.memory[session] if session is not None else 0
        if session is not None:
            self.memory[session] += 1
        seen = [zlib.crc32(array[index].tobytes()) for array in observation["video"].values()]
        felt = [zlib.crc32(array[index].tobytes()) for array in observation["state"].values()]
        said = zlib.crc32(observation["language"][self.checkpoint.language][index][0].encode())
        generator = np.random.default_rng([*seen, *felt, said, before])
        return {
            name: generator.uniform(-0.3, 0.3, (self.checkpoint.horizon, length)).astype(np.float32)
            + np.float32(0.5 if name == "gripper_close" else 0)
            for name, length in self.checkpoint.action.items()
        }

    def _check(self, observation: dict[str, Any]) -> int:
        for name in ("video", "state", "language"):
            assert isinstance(observation.get(name), dict), f"Observation must contain a '{name}' key"
        for name, keys in (("video", self.checkpoint.video), ("state", self.checkpoint.state)):
            assert set(observation[name]) == set(keys), f"{name} keys {set(observation[name])} != {set(keys)}"
        batch = len(observation["language"][self.checkpoint.language])
        for name in self.checkpoint.video:
            video = observation["video"][name]
            _check_video(name, video, batch, len(self.checkpoint.video_deltas))
            wanted = self.checkpoint.picture or video.shape[2:4]
            assert video.shape[2:4] == wanted, f"Video key '{name}' has pictures {video.shape[2:4]}"
        for name, length in self.checkpoint.state.items():
            _check_state(name, observation["state"][name], (batch, len(self.checkpoint.state_deltas), length))
        for row in observation["language"][self.checkpoint.language]:
            assert isinstance(row, list), "Language batch item must be a list"
            assert len(row) == 1, "Language batch item must have exactly one item"
            assert isinstance(row[0], str), "Language batch item must be a string"
        return batch


def _memory(sessions: Any, begins: Any, index: int) -> tuple[str | None, bool]:
    return None if sessions is None else sessions[index], bool(begins and begins[index])


def _check_video(name: str, array: Any, batch: int, steps: int) -> None:
    assert isinstance(array, np.ndarray), f"Video key '{name}' must be a numpy array"
    assert array.dtype == np.uint8, f"Video key '{name}' must be of type np.uint8. Got {array.dtype}"
    assert array.ndim == 5, f"Video key '{name}' must be of shape (B, T, H, W, C), got {array.shape}"
    assert len(array) == batch, f"Video key '{name}' must have batch size {batch}. Got {len(array)}"
    assert array.shape[1] == steps, f"Video key '{name}': got T={array.shape[1]}, expected T={steps}"
    assert array.shape[-1] == 3, f"Video key '{name}'s channel 'C' must be 3. Got {array.shape[-1]}"


def _check_state(name: str, array: Any, shape: tuple[int, ...]) -> None:
    assert isinstance(array, np.ndarray), f"State key '{name}' must be a numpy array"
    assert array.dtype == np.float32, f"State key '{name}' must be of type np.float32. Got {array.dtype}"
    assert array.shape == shape, f"State key '{name}' must be of shape {shape}, got {array.shape}"
    assert np.isfinite(array).all(), f"Non-finite values in state key '{name}'"
