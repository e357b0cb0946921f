"""What a checkpoint sees and does: RLDX's modality configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.policies.signature import CameraInput, Signature
from rpent.suggest import listing

if TYPE_CHECKING:
    from collections.abc import Mapping

STATE_LENGTHS = {
    # LIBERO fine-tune
    "eef_pos_absolute": 3,
    "eef_rot_absolute": 3,
    "gripper_close": 2,
    # libero_panda
    **dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw"), 1),
    "gripper": 2,
    # RoboCasa365
    "end_effector_position_relative": 3,
    "end_effector_rotation_relative": 4,
    "gripper_qpos": 2,
    "base_position": 3,
    "base_rotation": 4,
}
"""Lengths of the vectors of RLDX-1's simulators; a running server does not say them. Source: their environments."""

ACTION_LENGTHS = {
    "eef_pos_delta": 3,
    "eef_rot_delta": 3,
    "gripper_close": 1,
    **dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw", "gripper"), 1),
    "end_effector_position": 3,
    "end_effector_rotation": 3,
    "base_motion": 4,
    "control_mode": 1,
}


@dataclass(frozen=True, slots=True)
class Modality:
    """One kind of input or output: its names, and the control steps relative to now that it has."""

    keys: tuple[str, ...]
    deltas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Modalities:
    """All of them."""

    video: Modality
    state: Modality
    action: Modality
    language: Modality

    @property
    def steps(self) -> int:
        """How many past observations one question holds at most."""
        return max(len(self.video.deltas), len(self.state.deltas))

    @property
    def history(self) -> tuple[int, ...]:
        """The control steps before now that pictures or state are wanted of, oldest first."""
        return tuple(sorted({delta for delta in (*self.video.deltas, *self.state.deltas) if delta < 0}))


def parse_modalities(found: Any, *, where: str) -> Modalities:
    """Read what a server or a checkpoint's `processor_config.json` says.

    Args:
        found: Modality → `delta_indices` and `modality_keys`.
        where: Whose words these are, for errors.

    Raises:
        PolicyError: It is something else.
    """
    parts = {}
    for name in ("video", "state", "action", "language"):
        fields = found.get(name) if isinstance(found, dict) else None
        keys = fields.get("modality_keys") if isinstance(fields, dict) else None
        deltas = fields.get("delta_indices") if isinstance(fields, dict) else None
        if not _is_list_of(keys, str) or not _is_list_of(deltas, int):
            raise PolicyError(f"{where} has no readable configuration of the modality `{name}`.")
        parts[name] = Modality(tuple(keys or ()), tuple(deltas or ()))
    if any(delta > 0 for name in ("video", "state") for delta in parts[name].deltas):
        raise PolicyError(f"{where} wants pictures or states of the future.")
    if len(parts["language"].keys) != 1 or not parts["video"].deltas or not parts["action"].keys:
        raise PolicyError(f"{where} takes no single instruction, no pictures, or gives no action.")
    return Modalities(**parts)


def to_signature(
    modalities: Modalities,
    *,
    state: Mapping[str, int],
    action: Mapping[str, int],
    execute_steps: int | None,
    details: dict[str, Any],
) -> Signature:
    """Return the signature.

    Args:
        modalities: The configuration.
        state: Lengths that are known besides those of `STATE_LENGTHS`.
        action: The same for the action.
        execute_steps: As given by the user.
        details: Plain data worth showing.

    Raises:
        PolicyError: The length of a vector is not known.
    """
    return Signature(
        family="rldx",
        cameras={name: CameraInput() for name in modalities.video.keys},
        state=_lengths("--state", modalities.state.keys, {**STATE_LENGTHS, **state}),
        action=_lengths("--action", modalities.action.keys, {**ACTION_LENGTHS, **action}),
        chunk_length=len(modalities.action.deltas),
        execute_steps=execute_steps,
        observation_steps=modalities.steps,
        history=modalities.history,
        details={**details, "video_steps": list(modalities.video.deltas)},
    )


def _lengths(option: str, names: tuple[str, ...], known: Mapping[str, int]) -> dict[str, int]:
    if missing := [name for name in names if name not in known]:
        raise PolicyError(
            f"The length of {listing(missing)} is not known, and RLDX's servers do not say it.",
            hint=f"Say it: `{option} {missing[0]}=LENGTH`.",
        )
    return {name: known[name] for name in names}


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and len(value) <= 256 and all(isinstance(item, kind) for item in value)
