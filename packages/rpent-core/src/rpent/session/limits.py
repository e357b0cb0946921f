"""Budgets of a session: turns, tool calls, tokens, cost, environment steps and wall clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.runs.outcome import Ending
from rpent.session.usage import ZERO, Usage

if TYPE_CHECKING:
    from rpent.runs.outcome import Reason

_WARN_BELOW = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Budgets; None means no limit. They hold alike for every planner."""

    max_turns: int | None = 100
    max_tool_calls: int | None = 300
    token_limit: int | None = None
    """Input plus output tokens of all model responses together."""
    max_env_steps: int | None = None
    time_limit_s: float | None = 3600.0
    """Wall clock of the session; start-up does not count."""
    cost_limit_usd: float | None = None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(
                    f"`{name}` is {value}; it must be above 0.", hint="Leave it out for no limit."
                )


@dataclass(slots=True)
class Budget:
    """What is spent so far, against the limits."""

    limits: Limits
    turns: int = 0
    tool_calls: int = 0
    usage: Usage = ZERO
    elapsed_before_s: float = 0.0
    """Of earlier processes, when the run was resumed."""
    _started: float = field(default_factory=time.monotonic)
    _paused: float | None = None

    def start(self) -> None:
        """Start the clock."""
        self._started = time.monotonic()

    def pause(self) -> None:
        """Stop the clock: the session waits for its user."""
        if self._paused is None:
            self._paused = time.monotonic()

    def unpause(self) -> None:
        """Let the clock run on."""
        if self._paused is not None:
            self._started += time.monotonic() - self._paused
            self._paused = None

    @property
    def elapsed_s(self) -> float:
        """Wall clock of the session, without the time that it waited for its user."""
        now = time.monotonic() if self._paused is None else self._paused
        return self.elapsed_before_s + now - self._started

    @property
    def remaining_s(self) -> float | None:
        """Wall clock that is left, or None without a limit."""
        limit = self.limits.time_limit_s
        return None if limit is None else max(0.0, limit - self.elapsed_s)

    def exceeded(self, env_steps: int = 0) -> Ending | None:
        """Return how the session ends when something other than turns and calls is used up."""
        limits, usage = self.limits, self.usage
        if self.remaining_s == 0.0:
            return _ending("time_limit", f"The time limit of {limits.time_limit_s:g} s is over.")
        if limits.token_limit is not None and usage.tokens >= limits.token_limit:
            return _ending(
                "cost_limit", f"The budget of {limits.token_limit} tokens is used up ({usage.tokens})."
            )
        if limits.cost_limit_usd is not None and (usage.cost_usd or 0.0) >= limits.cost_limit_usd:
            return _ending("cost_limit", f"The budget of {limits.cost_limit_usd:g} USD is used up.")
        if limits.max_env_steps is not None and env_steps >= limits.max_env_steps:
            return _ending(
                "step_limit", f"The budget of {limits.max_env_steps} environment steps is used up."
            )
        return None

    def next_turn(self) -> Ending | None:
        """Count a turn, or return how the session ends."""
        limit = self.limits.max_turns
        if limit is not None and self.turns >= limit:
            return _ending("turn_limit", f"The budget of {limit} turns is used up.")
        self.turns += 1
        return None

    def next_call(self) -> Ending | None:
        """Count a tool call, or return how the session ends."""
        limit = self.limits.max_tool_calls
        if limit is not None and self.tool_calls >= limit:
            return _ending("turn_limit", f"The budget of {limit} tool calls is used up.")
        self.tool_calls += 1
        return None

    def warning(self) -> str | None:
        """Say when little is left, so that a planner can wind up."""
        left = []
        for limit, spent, what in (
            (self.limits.max_turns, self.turns, "turns"),
            (self.limits.max_tool_calls, self.tool_calls, "tool calls"),
        ):
            if limit is not None and 0 <= limit - spent <= min(_WARN_BELOW, limit // 2):
                left.append(f"{limit - spent} {what}")
        return f"Only {' and '.join(left)} left; call `finish` in time." if left else None


def _ending(reason: Reason, detail: str) -> Ending:
    return Ending(reason=reason, detail=detail)
