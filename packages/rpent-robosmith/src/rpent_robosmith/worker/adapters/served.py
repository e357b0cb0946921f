"""A robot's env server as a Gymnasium environment: LIBERO, RoboCasa, a third party's.

Observations are the state fields of the robot's embodiment that the entry names (`kwargs["state"]`; by default all of
them), actions one row of its control actions. `info["is_success"]` is the benchmark's own predicate. With
`kwargs["goal_m"]` (x, y, z in the world, metres) `info["goal_distance_m"]` is how far the grasp point is from there.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from rpent.env.client import EnvClient
from rpent.errors import UsageError
from rpent.policies.observe import state_fields
from rpent.rpc.api import connect
from rpent.suggest import listing

from rpent_robosmith.work.served import VARIABLE
from rpent_robosmith.worker.api import EnvAdapter
from rpent_robosmith.worker.spaces import space_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.env.types import Observation

    from rpent_robosmith.catalog.entry import EnvEntry

_CONNECT_S = 30.0


class ServedEnv(gymnasium.Env[dict[str, Any], Any]):
    """One env server, over a channel of its own.

    Args:
        address: What `rpent_robosmith.work.served` says of it.
        state: Fields of the observation, in order; none takes all.
        goal_m: (3,) metres, world, or None.
        render_mode: `rgb_array` or None.

    Raises:
        UsageError: The robot has no such state field.
        TransportError: The env server cannot be reached.
    """

    def __init__(
        self,
        address: Mapping[str, Any],
        *,
        state: tuple[str, ...] = (),
        goal_m: tuple[float, ...] | None = None,
        render_mode: str | None = None,
    ) -> None:
        lengths = {str(name): int(length) for name, length in address["state"].items()}
        self._fields = tuple(state) or tuple(lengths)
        if unknown := [name for name in self._fields if name not in lengths]:
            raise UsageError(f"The robot has no state field `{unknown[0]}`; it has {listing(lengths)}.")
        self.observation_space = gymnasium.spaces.Dict(
            {name: gymnasium.spaces.Box(-np.inf, np.inf, (lengths[name],)) for name in self._fields}
        )
        self.action_parts = {str(name): int(part[0]) for name, part in address["action"].items()}
        self.action_space = _action_space(address["action"])
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": address["control_rate_hz"]}
        self.render_mode = render_mode
        self._goal = None if goal_m is None else np.asarray(goal_m, np.float64)
        self._camera = address["camera"]
        self._channel = connect(str(address["endpoint"]), token=str(address["token"]), timeout_s=_CONNECT_S)
        self._client = EnvClient(self._channel)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Start an episode of the server's task; without a seed one is drawn from the generator of the last seed."""
        super().reset(seed=seed, options=options)
        chosen = int(self.np_random.integers(2**31)) if seed is None else seed
        observation = self._client.reset(seed=chosen % 2**31)
        return self._state(observation), self._info(observation)

    def step(
        self, action: NDArray[np.floating[Any]]
    ) -> tuple[dict[str, NDArray[np.float32]], float, bool, bool, dict[str, Any]]:
        """Carry out one control step. The environment's own reward is 1 at the step that succeeds, else 0."""
        observation = self._client.step(np.asarray(action, np.float64))
        state, info = self._state(observation), self._info(observation)
        return state, float(observation.success), observation.terminated, observation.truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """Return the main camera's picture, (256, 256, 3) uint8."""
        if self.render_mode != "rgb_array" or self._camera is None:
            return None
        return np.asarray(self._client.observe([self._camera]).images[self._camera])

    def close(self) -> None:
        """End the connection; the server goes on."""
        self._channel.close()

    def _state(self, observation: Observation) -> dict[str, NDArray[np.float32]]:
        found = state_fields(observation, self._fields)
        return {name: value.astype(np.float32) for name, value in found.items()}

    def _info(self, observation: Observation) -> dict[str, Any]:
        info: dict[str, Any] = {"is_success": observation.success}
        if self._goal is not None:
            info["goal_distance_m"] = float(np.linalg.norm(observation.eef_position - self._goal))
        return info


class ServedAdapter(EnvAdapter):
    """Connects to the env server that the run's own process started."""

    def make(self, entry: EnvEntry, *, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
        """Return a connected environment.

        Raises:
            UsageError: No env server was started for this worker, or the robot lacks a state field.
        """
        address = os.environ.get(VARIABLE)
        if address is None:
            raise UsageError(f"No env server of the robot `{entry.env_id}` was started for this worker.")
        state, goal = entry.kwargs.get("state", ()), entry.kwargs.get("goal_m")
        env: gymnasium.Env[Any, Any] = ServedEnv(
            json.loads(address),
            state=tuple(state),
            goal_m=None if goal is None else tuple(goal),
            render_mode=render_mode,
        )
        if entry.max_episode_steps is not None:
            env = gymnasium.wrappers.TimeLimit(env, entry.max_episode_steps)
        return env

    def numbers(self, env: gymnasium.Env[Any, Any]) -> Mapping[str, Sequence[str]]:
        """Return the names of the robot's embodiment: `eef_position_delta[0]`, `gripper`."""
        inner = env.unwrapped
        if not isinstance(inner, ServedEnv):
            return {}
        state = {name: part.size for name, part in space_facts(inner.observation_space).parts.items()}
        named = {name: _named(name, size) for name, size in state.items()}
        acted = [each for name, size in inner.action_parts.items() for each in _named(name, size)]
        return {**named, "action": acted}


def _named(name: str, size: int) -> list[str]:
    return [name] if size == 1 else [f"{name}[{i}]" for i in range(size)]


def _action_space(parts: Mapping[str, Any]) -> gymnasium.spaces.Box:
    low = [part[1] for part in parts.values() for _ in range(int(part[0]))]
    high = [part[2] for part in parts.values() for _ in range(int(part[0]))]
    return gymnasium.spaces.Box(np.asarray(low, np.float32), np.asarray(high, np.float32))
