"""Checks what a servo motion is asked to do: waypoints and stop conditions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.env.episode import CLOSE, HOLD, OPEN, POSITION_SCALE_M, ROTATION_SCALE_RAD
from rpent_manipulation.env.guardrails import (
    MAX_SERVO_STEPS,
    MAX_WAYPOINTS,
    GuardrailError,
    count,
    number,
    truth,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_manipulation.env.guardrails import Workspace

GRIPPER_STEP = 0.25
"""How far one control step moves the commanded gripper width (range -1 to 1), at most."""
_ARM_KEYS = ("position", "quaternion", "yaw", "pitch")
_BASE_KEYS = ("base_position", "base_yaw", "torso_m")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """One checked waypoint; see `rpent.env.Waypoint`."""

    position: NDArray[np.float64] | None
    quaternion: NDArray[np.float64] | None
    yaw: float | None
    pitch: float | None
    gripper: float | None
    """Commanded width from -1 (open) to 1 (closed); None keeps it."""
    steps: int
    max_step_m: float
    max_step_rad: float
    base_position: NDArray[np.float64] | None = None
    base_yaw: float | None = None
    torso_m: float | None = None

    @property
    def moves_base(self) -> bool:
        """Whether it is the base, or the torso on it, that moves."""
        return self.base_position is not None or self.base_yaw is not None or self.torso_m is not None

    def finger_command(self, commanded: float) -> float:
        """Return `OPEN`, `HOLD` or `CLOSE`: what brings the commanded width to the wanted one."""
        if self.gripper is None:
            return HOLD
        missing = self.gripper - commanded
        return HOLD if abs(missing) < GRIPPER_STEP / 2 else float(np.sign(missing))

    def rotation(self, current: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the wanted orientation, or None to hold the present one.

        Given only a yaw or only a pitch, the other stays as it is.
        """
        if self.quaternion is not None:
            return rotations.from_quaternion(self.quaternion)
        if self.yaw is None and self.pitch is None:
            return None
        yaw, pitch = rotations.yaw_pitch(current)
        return rotations.from_yaw_pitch(
            yaw if self.yaw is None else self.yaw, pitch if self.pitch is None else self.pitch
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """When to stop; see `rpent.env.Until`."""

    max_steps: int = 300
    position_tolerance_m: float = 0.005
    rotation_tolerance_rad: float = 0.03
    stall_steps: int = 15
    gripper_settled: bool = False
    contact_force_n: float | None = None
    base_tolerance_m: float = 0.03
    base_tolerance_rad: float = 0.03


_WAYPOINT_KEYS = frozenset(field.name for field in fields(Target))
_UNTIL_KEYS = frozenset(field.name for field in fields(Limits))
_LIMIT_COUNTS = {"max_steps": (1, MAX_SERVO_STEPS), "stall_steps": (2, MAX_SERVO_STEPS)}
_LIMIT_RANGES = {
    "position_tolerance_m": (0.0005, 0.5),
    "rotation_tolerance_rad": (0.002, 3.2),
    "contact_force_n": (0.1, 1000.0),
    "base_tolerance_m": (0.005, 2.0),
    "base_tolerance_rad": (0.01, 3.2),
}
"""What a number among the stop conditions may be: from, to."""


def parse_targets(
    values: Any,
    workspace: Workspace,
    *,
    max_step_m: float = POSITION_SCALE_M,
    torso_range_m: tuple[float, float] | None = None,
) -> list[Target]:
    """Check waypoints.

    Args:
        values: As they came.
        workspace: Where hand and base may be sent.
        max_step_m: How far ahead of the hand the controller's goal may be, metres: the fastest `max_step_m`, and what
            holds where none is given.
        torso_range_m: Of a robot with a mobile base; without one, waypoints of a base are refused.

    Raises:
        GuardrailError: One is malformed, not finite, or outside the workspace.
    """
    if not isinstance(values, list | tuple) or not 1 <= len(values) <= MAX_WAYPOINTS:
        raise GuardrailError(f"`targets` must be a list of 1 to {MAX_WAYPOINTS} waypoints.")
    return [
        _parse_target(value, f"`targets[{index}]", workspace, max_step_m, torso_range_m)
        for index, value in enumerate(values)
    ]


def _parse_target(
    value: Mapping[str, Any],
    what: str,
    workspace: Workspace,
    max_step_m: float,
    torso_range_m: tuple[float, float] | None,
) -> Target:
    _check_keys(value, _WAYPOINT_KEYS, f"{what}`")
    return Target(
        **_parse_hand(value, what, workspace),
        **_parse_base(value, what, workspace, torso_range_m),
        gripper=_parse_gripper(value.get("gripper", "hold"), f"{what}.gripper`"),
        steps=count(value.get("steps", 0), 0, MAX_SERVO_STEPS, f"{what}.steps`"),
        max_step_m=number(value.get("max_step_m", max_step_m), 0.001, max_step_m, f"{what}.max_step_m`"),
        max_step_rad=number(
            value.get("max_step_rad", ROTATION_SCALE_RAD), 0.01, ROTATION_SCALE_RAD, f"{what}.max_step_rad`"
        ),
    )


def _parse_hand(value: Mapping[str, Any], what: str, workspace: Workspace) -> dict[str, Any]:
    position = quaternion = None
    if value.get("position") is not None:
        position = vector(value["position"], 3, f"{what}.position`")
        workspace.check(position, f"{what}.position`")
    if value.get("quaternion") is not None:
        quaternion = vector(value["quaternion"], 4, f"{what}.quaternion`")
        if np.linalg.norm(quaternion) < 0.5:
            raise GuardrailError(f"{what}.quaternion` must have length 1.")
        if value.get("yaw") is not None or value.get("pitch") is not None:
            raise GuardrailError(f"{what}` has both a quaternion and yaw or pitch; give one.")
    return {
        "position": position,
        "quaternion": quaternion,
        "yaw": _angle(value, "yaw", what),
        "pitch": _angle(value, "pitch", what),
    }


def _parse_base(
    value: Mapping[str, Any], what: str, workspace: Workspace, torso_range_m: tuple[float, float] | None
) -> dict[str, Any]:
    given = [key for key in _BASE_KEYS if value.get(key) is not None]
    if not given:
        return {}
    if torso_range_m is None:
        raise GuardrailError(f"{what}.{given[0]}` is refused: this robot's base is fixed.")
    if any(value.get(key) is not None for key in _ARM_KEYS):
        raise GuardrailError(
            f"{what}` moves both the base and the hand.",
            hint="Make two waypoints: the arm rides along with the base.",
        )
    position = torso = None
    if value.get("base_position") is not None:
        position = vector(value["base_position"], 2, f"{what}.base_position`")
        workspace.check(np.array([*position, workspace.low[2]]), f"{what}.base_position`")
    if value.get("torso_m") is not None:
        torso = number(value["torso_m"], *torso_range_m, f"{what}.torso_m`")
    return {"base_position": position, "base_yaw": _angle(value, "base_yaw", what), "torso_m": torso}


def _angle(value: Mapping[str, Any], key: str, what: str) -> float | None:
    return None if value.get(key) is None else number(value[key], -100.0, 100.0, f"{what}.{key}`")


def _parse_gripper(value: Any, what: str) -> float | None:
    named = {"open": OPEN, "close": CLOSE, "hold": None}
    if isinstance(value, str):
        if value not in named:
            raise GuardrailError(
                f"{what} must be `open`, `close`, `hold` or a number from -1 to 1, not `{value}`."
            )
        return named[value]
    return None if value is None else number(value, OPEN, CLOSE, what)


def parse_until(value: Any) -> Limits:
    """Check the stop conditions.

    Raises:
        GuardrailError: One is unknown or out of range.
    """
    value = {} if value is None else value
    _check_keys(value, _UNTIL_KEYS, "`until`")
    checked: dict[str, Any] = {}
    for key, item in value.items():
        what = f"`until.{key}`"
        if item is None:
            continue
        if key in _LIMIT_COUNTS:
            checked[key] = count(item, *_LIMIT_COUNTS[key], what)
        elif key in _LIMIT_RANGES:
            checked[key] = number(item, *_LIMIT_RANGES[key], what)
        else:
            checked[key] = truth(item, what)
    return Limits(**checked)


def _check_keys(value: Any, accepted: frozenset[str], what: str) -> None:
    if not hasattr(value, "keys"):
        raise GuardrailError(f"{what} must be an object, not {type(value).__name__}.")
    unknown = sorted(map(str, set(value) - accepted))
    if unknown:
        raise GuardrailError(
            f"{what} has the unknown key `{unknown[0]}`.", hint=f"Keys: {', '.join(sorted(accepted))}."
        )
