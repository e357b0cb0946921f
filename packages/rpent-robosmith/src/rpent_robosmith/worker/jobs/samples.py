"""Jobs that take samples of an environment, and that carry out actions in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.worker.making import make_env

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.worker.api import JobContext


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Take steps with random actions.

    Args:
        params: `entry`, `count` (of samples), `seed`.
        context: Told how far it is.

    Returns:
        `samples`: for each step `observation` and `action`, arrays or dicts of them.
    """
    env = make_env(EnvEntry.model_validate(params["entry"]))
    samples: list[dict[str, Any]] = []
    seed, count = int(params["seed"]), int(params["count"])
    try:
        observation, _ = env.reset(seed=seed)
        env.action_space.seed(seed)
        while len(samples) < count:
            action = env.action_space.sample()
            samples.append({"observation": plain(observation), "action": plain(action)})
            observation, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                seed += 1
                observation, _ = env.reset(seed=seed)
            context.tell("progress", label="sample", done=float(len(samples)), total=float(count))
    finally:
        env.close()
    return {"samples": samples}


def step(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Carry out actions, one after the other.

    Args:
        params: `entry`, `actions` (a list of arrays or numbers), `seed`.
        context: Told how far it is.

    Returns:
        `steps`: how many were carried out; `refused`: those that are not in the action space; `rewards`; `finite`:
        whether every observation was.
    """
    env = make_env(EnvEntry.model_validate(params["entry"]))
    seed, rewards, refused, finite = int(params["seed"]), [], 0, True
    try:
        observation, _ = env.reset(seed=seed)
        for index, given in enumerate(params["actions"]):
            action = as_action(env.action_space, given)
            refused += action not in env.action_space
            observation, reward, terminated, truncated, _ = env.step(action)
            rewards.append(float(reward))
            finite = finite and _finite(observation)
            if terminated or truncated:
                seed += 1
                env.reset(seed=seed)
            context.tell("progress", label="step", done=float(index + 1), total=float(len(params["actions"])))
    finally:
        env.close()
    return {"steps": len(rewards), "refused": int(refused), "rewards": rewards, "finite": finite}


def as_action(space: Any, given: Any) -> Any:
    """Return an action as it came over the pipe in the type that the environment takes."""
    if hasattr(space, "n") and not hasattr(space, "nvec"):
        return int(np.asarray(given).reshape(()))
    return np.array(given, copy=True)


def plain(value: Any) -> Any:
    """Return an observation or action as arrays and dicts of them."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return np.array(value, copy=True)


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_finite(part) for part in value.values())
    return bool(np.isfinite(np.asarray(value, np.float64)).all())
