"""Gymnasium's spaces as data."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from rpent.errors import UsageError

from rpent_robosmith.facts import SpaceFacts

MAX_BOUNDS = 2_000
"""Boxes with more numbers (pictures) keep one bound for all."""


def space_facts(space: spaces.Space[Any]) -> SpaceFacts:
    """Return a space as data.

    Raises:
        UsageError: It is of a kind that RoboSmith does not know.
    """
    match space:
        case spaces.Box():
            return SpaceFacts(
                kind="box",
                shape=tuple(space.shape),
                dtype=str(space.dtype),
                low=_bounds(space.low, np.min),
                high=_bounds(space.high, np.max),
            )
        case spaces.Discrete():
            return SpaceFacts(kind="discrete", dtype=str(space.dtype), n=int(space.n), start=int(space.start))
        case spaces.MultiDiscrete():
            high = space.nvec.reshape(-1) + space.start.reshape(-1) - 1
            return SpaceFacts(
                kind="multi_discrete",
                shape=tuple(space.shape),
                dtype=str(space.dtype),
                low=tuple(float(number) for number in space.start.reshape(-1)),
                high=tuple(float(number) for number in high),
            )
        case spaces.MultiBinary():
            return SpaceFacts(kind="multi_binary", shape=tuple(space.shape), dtype=str(space.dtype))
        case spaces.Dict():
            parts = {key: space_facts(space.spaces[key]) for key in sorted(space.spaces)}
            return SpaceFacts(kind="dict", parts=parts)
        case spaces.Text():
            return SpaceFacts(kind="text")
    raise UsageError(f"A space of the kind `{type(space).__name__}` is not known here.")


def _bounds(values: Any, extreme: Any) -> tuple[float, ...]:
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    if flat.size > MAX_BOUNDS:
        return (float(extreme(flat)),)
    return tuple(float(number) for number in flat)
