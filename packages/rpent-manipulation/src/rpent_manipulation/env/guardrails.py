"""What the env server refuses or clamps, whatever a planner asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RpentError

from rpent_manipulation.env.episode import POSITION_SCALE_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CHUNK_STEPS = 1000
MAX_SERVO_STEPS = 2000
MAX_WAYPOINTS = 64
MAX_PICTURES = 32
"""Cameras of one look."""


class GuardrailError(RpentError):
    """A command that is outside what the robot may do; nothing was executed."""


class EpisodeOverError(RpentError):
    """The episode has ended and takes no further action."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Workspace:
    """The box that the grasp point may be sent to, world, metres."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def check(self, position: NDArray[np.float64], what: str) -> None:
        """Refuse a position outside.

        Raises:
            GuardrailError: It is outside.
        """
        if np.any(position < self.low) or np.any(position > self.high):
            raise GuardrailError(
                f"{what} {_numbers(position)} is outside the workspace.",
                hint=f"Stay between {_numbers(self.low)} and {_numbers(self.high)} (x, y, z, metres, world).",
            )

    def clamp(self, action: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Limit an action to [-1, 1] and its goal to the workspace; inside, it stays what it was."""
        clamped = np.clip(action, -1.0, 1.0)
        goal = position + clamped[:3] * POSITION_SCALE_M
        outward_low = (goal < self.low) & (clamped[:3] < 0)
        outward_high = (goal > self.high) & (clamped[:3] > 0)
        clamped[:3][outward_low | outward_high] = 0.0
        return clamped


def vector(value: Any, length: int, what: str) -> NDArray[np.float64]:
    """Return `value` as a finite float vector.

    Raises:
        GuardrailError: It has another shape, is not numeric, or holds NaN or infinity.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GuardrailError(f"{what} must be {length} numbers.") from None
    if array.shape != (length,):
        raise GuardrailError(f"{what} must have shape ({length},), not {array.shape}.")
    if not np.isfinite(array).all():
        raise GuardrailError(f"{what} holds NaN or infinity.")
    return array


def actions(value: Any, length: int) -> NDArray[np.float64]:
    """Return a chunk of actions as (T, length) finite floats.

    Raises:
        GuardrailError: Wrong shape, too many, or not finite.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GuardrailError(f"`actions` must be numbers of shape (T, {length}).") from None
    if array.ndim != 2 or array.shape[1] != length or not 1 <= len(array) <= MAX_CHUNK_STEPS:
        raise GuardrailError(
            f"`actions` must be 1 to {MAX_CHUNK_STEPS} rows of {length} numbers, not {array.shape}."
        )
    if not np.isfinite(array).all():
        raise GuardrailError("`actions` holds NaN or infinity.")
    return array


def number(value: Any, low: float, high: float, what: str) -> float:
    """Return a finite number within [low, high].

    Raises:
        GuardrailError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise GuardrailError(f"{what} must be a number, not {type(value).__name__}.")
    if not low <= value <= high:
        raise GuardrailError(f"{what} must be between {low:g} and {high:g}, not {_short(value)}.")
    return float(value)


def count(value: Any, low: int, high: int, what: str) -> int:
    """Return an integer within [low, high].

    Raises:
        GuardrailError: It is not.
    """
    checked = number(value, low, high, what)
    if checked != int(checked):
        raise GuardrailError(f"{what} must be a whole number, not {checked:g}.")
    return int(checked)


def names(value: Any, most: int, what: str) -> list[str]:
    """Return a list of at most `most` strings.

    Raises:
        GuardrailError: It is none.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise GuardrailError(f"{what} must be a list of names.")
    if len(value) > most:
        raise GuardrailError(f"{what} must be at most {most} names, not {len(value)}.")
    return list(value)


def truth(value: Any, what: str) -> bool:
    """Return true or false.

    Raises:
        GuardrailError: It is neither.
    """
    if not isinstance(value, bool):
        raise GuardrailError(f"{what} must be true or false, not {type(value).__name__}.")
    return value


def _short(value: Any) -> str:
    try:
        return f"{float(value):g}"
    except OverflowError:
        return "a number of hundreds of digits"


def _numbers(values: NDArray[np.float64]) -> str:
    return "[" + ", ".join(f"{value:.3f}" for value in values) + "]"
