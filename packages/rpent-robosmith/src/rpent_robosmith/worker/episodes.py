"""One seeded episode of a policy in an environment, recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

from rpent_robosmith.reports import EpisodeRecord
from rpent_robosmith.worker.measuring import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import gymnasium

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.worker.api import PolicyFunction


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step, for those who watch an episode (videos, datasets)."""

    before: Any
    """The observation that the action answers."""
    action: Any
    observation: Any
    """After the action."""
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]


def run_episode(
    env: gymnasium.Env[Any, Any],
    policy: PolicyFunction,
    entry: EnvEntry,
    seed: int,
    *,
    watch: Callable[[Step], None] | None = None,
) -> EpisodeRecord:
    """Run one episode to its end.

    An exception of the environment or the policy, and an observation or reward that is not finite, end the episode as
    crashed: `error` says why, it is no success, and its measures are those of the steps before.

    Args:
        env: Made by `making.make_env`, so that it has a step limit.
        policy: Reset with the same seed.
        entry: Declares the measures and the success.
        seed: Of the episode.
        watch: Called after each step.

    Raises:
        UsageError: The entry's measures or success signal do not fit the environment.
    """
    meter = Meter(entry)
    terminated = truncated = False
    error = ""
    try:
        terminated, truncated = _steps(env, policy, meter, seed, watch)
    except UsageError:
        raise
    except Exception as caught:  # noqa: BLE001  (what a simulator or a policy raises is the episode's end)
        error = f"{type(caught).__name__}: {' '.join(str(caught).split())}"[:500]
    return EpisodeRecord(
        seed=seed,
        length=meter.length,
        total=meter.total,
        success=not error and meter.success(terminated=terminated),
        measures=meter.measures(),
        terminated=terminated,
        truncated=truncated,
        error=error,
    )


def _steps(
    env: gymnasium.Env[Any, Any],
    policy: PolicyFunction,
    meter: Meter,
    seed: int,
    watch: Callable[[Step], None] | None,
) -> tuple[bool, bool]:
    observation, _ = env.reset(seed=seed)
    policy.reset(seed)
    while True:
        action = policy.act(observation)
        after, reward, terminated, truncated, info = env.step(action)
        _require_finite(after, float(reward))
        meter.step(after, action, float(reward), info)
        if watch is not None:
            watch(
                Step(
                    before=observation,
                    action=action,
                    observation=after,
                    reward=float(reward),
                    terminated=bool(terminated),
                    truncated=bool(truncated),
                    info=info,
                )
            )
        if terminated or truncated:
            return bool(terminated), bool(truncated)
        observation = after


def _require_finite(observation: Any, reward: float) -> None:
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    if not np.isfinite(reward):
        raise FloatingPointError(f"the environment's reward is {reward}")
    if not all(np.all(np.isfinite(part)) for part in parts):
        raise FloatingPointError("the environment's observation has a number that is not finite")
