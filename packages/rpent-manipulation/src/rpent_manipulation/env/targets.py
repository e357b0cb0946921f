"""Checks what a servo motion is asked to do: waypoints and stop conditions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation import rotations
from rpent_manipulation.env.episode import CLOSE, OPEN, POSITION_SCALE_M, ROTATION_SCALE_RAD
from rpent_manipulation.env.guardrails import (
    MAX_SERVO_STEPS,
    MAX_WAYPOINTS,
    GuardrailError,
    count,
    number,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_manipulation.env.guardrails import Workspace


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


_WAYPOINT_KEYS = frozenset(field.name for field in fields(Target))
_UNTIL_KEYS = frozenset(field.name for field in fields(Limits))


def parse_targets(values: Any, workspace: Workspace) -> list[Target]:
    """Check waypoints.

    Raises:
        GuardrailError: One is malformed, not finite, or outside the workspace.
    """
    if not isinstance(values, list | tuple) or not 1 <= len(values) <= MAX_WAYPOINTS:
        raise GuardrailError(f"`targets` must be a list of 1 to {MAX_WAYPOINTS} waypoints.")
    return [_parse_target(value, index, workspace) for index, value in enumerate(values)]


def _parse_target(value: Mapping[str, Any], index: int, workspace: Workspace) -> Target:
    what = f"`targets[{index}]"
    _check_keys(value, _WAYPOINT_KEYS, f"{what}`")
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

    def angle(key: str) -> float | None:
        return None if value.get(key) is None else number(value[key], -100.0, 100.0, f"{what}.{key}`")

    return Target(
        position=position,
        quaternion=quaternion,
        yaw=angle("yaw"),
        pitch=angle("pitch"),
        gripper=_parse_gripper(value.get("gripper", "hold"), f"{what}.gripper`"),
        steps=count(value.get("steps", 0), 0, MAX_SERVO_STEPS, f"{what}.steps`"),
        max_step_m=number(
            value.get("max_step_m", POSITION_SCALE_M), 0.001, POSITION_SCALE_M, f"{what}.max_step_m`"
        ),
        max_step_rad=number(
            value.get("max_step_rad", ROTATION_SCALE_RAD), 0.01, ROTATION_SCALE_RAD, f"{what}.max_step_rad`"
        ),
    )


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
    given = {key: item for key, item in value.items() if item is not None}
    default = Limits()
    settled = given.get("gripper_settled", False)
    if not isinstance(settled, bool):
        raise GuardrailError("`until.gripper_settled` must be true or false.")
    force = given.get("contact_force_n")
    return Limits(
        max_steps=count(given.get("max_steps", default.max_steps), 1, MAX_SERVO_STEPS, "`until.max_steps`"),
        position_tolerance_m=number(
            given.get("position_tolerance_m", default.position_tolerance_m),
            0.0005,
            0.5,
            "`until.position_tolerance_m`",
        ),
        rotation_tolerance_rad=number(
            given.get("rotation_tolerance_rad", default.rotation_tolerance_rad),
            0.002,
            3.2,
            "`until.rotation_tolerance_rad`",
        ),
        stall_steps=count(
            given.get("stall_steps", default.stall_steps), 2, MAX_SERVO_STEPS, "`until.stall_steps`"
        ),
        gripper_settled=settled,
        contact_force_n=None if force is None else number(force, 0.1, 1000.0, "`until.contact_force_n`"),
    )


def _check_keys(value: Any, accepted: frozenset[str], what: str) -> None:
    if not hasattr(value, "keys"):
        raise GuardrailError(f"{what} must be an object, not {type(value).__name__}.")
    unknown = sorted(set(value) - accepted)
    if unknown:
        raise GuardrailError(
            f"{what} has the unknown key `{unknown[0]}`.", hint=f"Keys: {', '.join(sorted(accepted))}."
        )
