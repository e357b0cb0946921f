"""From an env server's observation to what a policy server is asked with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from rpent.env.types import Observation


def state_fields(observation: Observation, fields: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the named fields as vectors: attributes of the observation first, then its `extra`; numbers become (1,).

    Raises:
        PolicyError: The robot's observation has no such field.
    """
    return {name: np.atleast_1d(np.asarray(_field(observation, name), np.float64)) for name in fields}


def _field(observation: Observation, name: str) -> Any:
    if name in observation.extra:
        return observation.extra[name]
    value = getattr(observation, name, None)
    if value is None:
        raise PolicyError(f"The robot's observation has no state field `{name}`, which the policy wants.")
    return value
