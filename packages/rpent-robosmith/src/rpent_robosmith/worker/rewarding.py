"""The training environments' reward: the candidate's, or the environment's own; with totals of episodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import gymnasium

from rpent_robosmith.worker.rewards import RewardedEnv, RewardFunction

if TYPE_CHECKING:
    from collections.abc import Sequence


class Rewarding:
    """Loads the candidate's code once the process is sealed, and counts."""

    def __init__(self, code: str | None) -> None:
        self._code = code
        self._function: RewardFunction | None = None
        self._tallies: list[_Tally] = []
        self._calls = self._errors = 0

    def environments(self, made: Sequence[gymnasium.Env[Any, Any]]) -> list[gymnasium.Env[Any, Any]]:
        """Return environments with the reward in place; call it in a sealed process.

        Args:
            made: With their own reward.

        Raises:
            RewardError: The code cannot be loaded.
        """
        if self._code is not None:
            self._function = RewardFunction(self._code)
        function = self._function
        self._tallies = [_Tally(env if function is None else RewardedEnv(env, function)) for env in made]
        return list(self._tallies)

    def go_on(self, calls: int, errors: int) -> None:
        """Count on from these."""
        self._calls, self._errors = calls, errors

    def counts(self) -> dict[str, int]:
        """Return the calls and errors of the candidate so far."""
        function = self._function
        calls, errors = (0, 0) if function is None else (function.calls, function.errors)
        return {"reward_calls": self._calls + calls, "reward_errors": self._errors + errors}

    def require_sound(self) -> None:
        """Refuse a candidate that failed in most of its calls.

        Raises:
            RewardError: It did.
        """
        if self._function is not None:
            self._function.require_sound()

    def mean_total(self) -> float | None:
        """Return the mean reward total of the episodes since the last call; None where none ended."""
        totals = [total for tally in self._tallies for total in tally.taken()]
        mean = math.fsum(totals) / len(totals) if totals else math.nan
        return mean if math.isfinite(mean) else None


class _Tally(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Sums the rewards of each episode that comes to its end."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._sum = 0.0
        self._totals: list[float] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        self._sum = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and add to the episode's sum."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._sum += float(reward)
        if terminated or truncated:
            self._totals.append(self._sum)
        return observation, reward, terminated, truncated, info

    def taken(self) -> list[float]:
        """Return the totals since the last time."""
        totals, self._totals = self._totals, []
        return totals
