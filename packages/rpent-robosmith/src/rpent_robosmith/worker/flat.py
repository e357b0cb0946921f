"""Environments as the networks take them: flat observations, discrete actions that begin at 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from rpent.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FlatObservations(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Parts of a Dict in sorted order of their keys, one after the other; discrete ones as one-hot vectors."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        low, high = _flat_bounds(env.observation_space)
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self._of = env.observation_space
        self._keys = sorted(self._of.spaces) if isinstance(self._of, spaces.Dict) else None

    def observation(self, observation: Any) -> NDArray[np.float32]:
        """Return the (S,) float32 vector."""
        if self._keys is not None and isinstance(self._of, spaces.Dict):
            parts = [_flat(observation[key], self._of.spaces[key]) for key in self._keys]
            return np.concatenate(parts, dtype=np.float32)
        return np.asarray(_flat(observation, self._of), np.float32)


class ZeroBasedActions(gymnasium.ActionWrapper[Any, Any, Any]):
    """Discrete actions from 0 on, whatever the environment's begin at."""

    def __init__(self, env: gymnasium.Env[Any, Any], space: spaces.Discrete) -> None:
        super().__init__(env)
        self.action_space = spaces.Discrete(int(space.n))
        self._start = int(space.start)

    def action(self, action: Any) -> int:
        """Return the environment's own action."""
        return int(action) + self._start


def flat_env(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """Return an environment with (S,) float32 observations and actions from 0 on: itself, where it has them already."""
    actions = env.action_space
    if isinstance(actions, spaces.Discrete) and actions.start != 0:
        env = ZeroBasedActions(env, actions)
    space = env.observation_space
    if isinstance(space, spaces.Box) and len(space.shape) == 1 and space.dtype == np.float32:
        return env
    return FlatObservations(env)


def _flat(value: Any, space: spaces.Space[Any]) -> NDArray[Any]:
    if isinstance(space, spaces.Discrete):
        vector = np.zeros(int(space.n), np.float32)
        vector[int(value) - int(space.start)] = 1.0
        return vector
    if isinstance(space, spaces.Dict):
        return np.concatenate([_flat(value[key], space.spaces[key]) for key in sorted(space.spaces)])
    return np.asarray(value).reshape(-1)


def _flat_bounds(space: spaces.Space[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    if isinstance(space, spaces.Box):
        return space.low.reshape(-1).astype(np.float32), space.high.reshape(-1).astype(np.float32)
    if isinstance(space, spaces.Discrete):
        return np.zeros(int(space.n), np.float32), np.ones(int(space.n), np.float32)
    if isinstance(space, spaces.Dict):
        bounds = [_flat_bounds(space.spaces[key]) for key in sorted(space.spaces)]
        return np.concatenate([low for low, _ in bounds]), np.concatenate([high for _, high in bounds])
    raise UsageError(f"Observations of the kind `{type(space).__name__}` cannot be trained on.")
