"""Policies that know nothing: what a trained one must beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robosmith.facts import SpaceFacts

BASELINES = ("random", "zero")
"""Always run, on the seeds of the evaluation."""


class RandomPolicy:
    """Samples actions uniformly within their bounds (unbounded numbers: standard normal), seeded by the episode."""

    def __init__(self, action: SpaceFacts) -> None:
        self._action = action
        self._generator = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        self._generator = np.random.default_rng((seed, 0x5EED))

    def act(self, observation: Any) -> NDArray[np.generic] | int:  # noqa: ARG002
        """Return a random action."""
        space = self._action
        if space.kind == "discrete":
            return int(self._generator.integers(space.n or 1)) + space.start
        low, high = bounds(space)
        bounded = np.isfinite(low) & np.isfinite(high)
        uniform = self._generator.uniform(np.where(bounded, low, -1.0), np.where(bounded, high, 1.0))
        normal = np.clip(self._generator.standard_normal(space.shape), low, high)
        return np.where(bounded, uniform, normal).astype(space.dtype or "float32")


class ZeroPolicy:
    """Does nothing: zeros clipped to the bounds, and the first one of discrete actions."""

    def __init__(self, action: SpaceFacts) -> None:
        self._action = action

    def reset(self, seed: int) -> None:
        """Begin an episode."""

    def act(self, observation: Any) -> NDArray[np.generic] | int:  # noqa: ARG002
        """Return the idle action."""
        if self._action.kind == "discrete":
            return self._action.start
        low, high = bounds(self._action)
        return np.clip(np.zeros(self._action.shape), low, high).astype(self._action.dtype or "float32")


def bounds(space: SpaceFacts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of a box, each of its own shape; one number for all is spread out, none is unbounded."""
    low = np.asarray(space.low or (-np.inf,), dtype=np.float64)
    high = np.asarray(space.high or (np.inf,), dtype=np.float64)
    return (
        np.broadcast_to(low if low.size == 1 else low.reshape(space.shape), space.shape),
        np.broadcast_to(high if high.size == 1 else high.reshape(space.shape), space.shape),
    )
