"""Environments of catalog entries, through the adapter that each names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.wrappers import TimeLimit
from rpent.errors import PluginError
from rpent.plugins import registry

from rpent_robosmith.worker.api import EnvAdapter
from rpent_robosmith.worker.loading import instance

if TYPE_CHECKING:
    from rpent_robosmith.catalog.entry import EnvEntry

UNLIMITED_STEPS = 1_000
"""Steps of an episode where neither the entry nor the environment has a limit."""


def make_env(entry: EnvEntry, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
    """Return the environment of an entry; every episode of it comes to an end.

    Args:
        entry: Of a catalog, or of `catalog.load.find`.
        render_mode: `rgb_array` for pictures; None renders nothing.

    Raises:
        UsageError: The entry cannot be made.
        PluginError: Its adapter is not installed, or does not do what an adapter does.
    """
    env = adapter_of(entry.adapter).make(entry, render_mode=render_mode)
    if not isinstance(env, gymnasium.Env):
        raise PluginError(
            f"The adapter `{entry.adapter}` made a `{type(env).__name__}` instead of a `gymnasium.Env`."
        )
    return env if max_episode_steps(env) is not None else TimeLimit(env, UNLIMITED_STEPS)


@cache
def adapter_of(name: str) -> EnvAdapter:
    """Return the adapter of a name, made once in a process.

    Raises:
        PluginError: It is not installed, or cannot be imported here.
    """
    spec = registry.get("env_adapters", name)
    adapter: EnvAdapter = instance(EnvAdapter, spec.adapter, spec.needs, f"env adapter `{name}`")
    return adapter


def max_episode_steps(env: gymnasium.Env[Any, Any]) -> int | None:
    """Return after how many steps an episode is cut, as the wrappers or the environment's registration say."""
    layer: gymnasium.Env[Any, Any] | None = env
    while layer is not None:
        if isinstance(layer, TimeLimit):
            return int(layer._max_episode_steps)
        limit = getattr(layer, "max_episode_steps", None)
        if isinstance(limit, int):
            return limit
        layer = layer.env if isinstance(layer, gymnasium.Wrapper) else None
    return None
