"""A seeded walk through an environment with random actions: what it gives, and whether it gives it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.worker.episodes import Step

if TYPE_CHECKING:
    import gymnasium


@dataclass(slots=True)
class Walk:
    """What was seen."""

    start: Any
    """The observation of the reset."""
    steps: list[Step] = field(default_factory=list)
    strays: int = 0
    """Observations outside of the declared space."""

    @property
    def rewards(self) -> list[float]:
        """The environment's rewards."""
        return [step.reward for step in self.steps]

    @property
    def info_keys(self) -> tuple[str, ...]:
        """Entries of `info` that were numbers or booleans in every step that had them."""
        seen: dict[str, bool] = {}
        for step in self.steps:
            for key, value in step.info.items():
                seen[str(key)] = seen.get(str(key), True) and is_number(value)
        return tuple(sorted(key for key, number in seen.items() if number))

    def same(self, other: Walk) -> bool:
        """Whether another walk saw the same, bit for bit."""
        if len(self.steps) != len(other.steps) or not same_observation(self.start, other.start):
            return False
        return all(
            a.reward == b.reward
            and a.terminated == b.terminated
            and same_observation(a.observation, b.observation)
            for a, b in zip(self.steps, other.steps, strict=True)
        )


def walk(env: gymnasium.Env[Any, Any], seed: int, steps: int) -> Walk:
    """Take random steps from a seeded reset, to the end of the episode or to `steps`."""
    before, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    seen = Walk(start=before, strays=0 if before in env.observation_space else 1)
    for _ in range(steps):
        action = env.action_space.sample()
        after, reward, terminated, truncated, info = env.step(action)
        seen.strays += after not in env.observation_space
        seen.steps.append(
            Step(
                before=before,
                action=action,
                observation=after,
                reward=float(reward),
                terminated=bool(terminated),
                truncated=bool(truncated),
                info=dict(info),
            )
        )
        if terminated or truncated:
            break
        before = after
    return seen


def same_observation(a: Any, b: Any) -> bool:
    """Whether two observations are equal, bit for bit."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same_observation(a[k], b[k]) for k in a)
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def is_number(value: Any) -> bool:
    """Whether an entry of `info` is one number or boolean."""
    if isinstance(value, bool | int | float | np.bool_ | np.number):
        return True
    return isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "biuf"
