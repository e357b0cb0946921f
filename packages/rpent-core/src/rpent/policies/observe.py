"""From an env server's observation to what a policy server is asked with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from rpent.env.types import Observation

STATE = ("eef_position", "eef_quaternion", "gripper_opening_m", "joint_positions")
"""The state that every observation has."""


def state_fields(observation: Observation, fields: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the named fields as vectors, from the observation's own (`STATE`) or its `extra`; numbers become (1,).

    Args:
        observation: As the env server gave it.
        fields: What a policy server wants, which may be anybody's: only state is ever looked up.

    Raises:
        PolicyError: The robot's observation has no such field, or it is no vector of numbers.
    """
    return {name: _vector(observation, name) for name in fields}


def _vector(observation: Observation, name: str) -> NDArray[np.float64]:
    value: Any = getattr(observation, name) if name in STATE else observation.extra.get(name)
    try:
        vector = np.atleast_1d(np.asarray(value, np.float64))
    except (TypeError, ValueError):
        vector = np.zeros((0, 0))
    if value is None or vector.ndim != 1:
        raise PolicyError(f"The robot's observation has no state field `{name}`, which the policy wants.")
    return vector
