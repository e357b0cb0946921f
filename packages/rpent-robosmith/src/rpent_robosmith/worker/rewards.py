"""Reward code at work: loaded with few builtins, called once a step, its errors and components counted.

The code is untrusted. Load it in a sealed process only (`context.seal()` first); what is done here besides keeps honest
mistakes visible, it is not the fence.
"""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.rewards.contract import (
    BUILTINS,
    FUNCTION,
    IMPORTABLE,
    MAX_COMPONENT_NAME,
    MAX_COMPONENTS,
    MAX_REWARD,
)
from rpent_robosmith.work.api import WorkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

_WINDOW_CALLS = 200
_FEWEST_CALLS = 100
_KEPT_ERRORS = 5
_MEMORY_ERRORS = 3
"""Each takes long, and the next steps do not get their memory either."""
_SCALARS = frozenset((float, int, bool, str, type(None), np.float64, np.float32, np.int64, np.bool_))
_NUMBERS = (float, int, np.floating, np.integer, np.bool_)


class RewardError(WorkError):
    """A reward cannot be loaded, or fails on most steps. Its `kind` is `reward`."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, kind="reward", hint=hint)


class RewardFunction:
    """A candidate's reward. Calling it never raises for a single bad step: that counts as an error and gives 0.

    Attributes:
        calls: Steps rewarded.
        errors: Those that raised, or gave no finite number of the contract's size.
        messages: The first few different errors, each with how often it came.
    """

    def __init__(self, code: str, *, check: bool = True) -> None:
        """Load the code.

        Args:
            code: Source text that defines `compute_reward`, see `rpent_robosmith.rewards.contract`.
            check: Whether the static check must pass first.

        Raises:
            RewardError: The check does not pass, or the code fails while it is loaded.
        """
        if check and (problems := check_reward(code)):
            raise RewardError(problems[0])
        self.calls = self.errors = 0
        self.messages: dict[str, int] = {}
        self._sums: dict[str, float] = {}
        self._total = 0.0
        self._window = self._window_errors = self._memory_errors = 0
        try:
            self._code: CodeType = compile(code, "<reward>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise RewardError(f"The reward is no Python ({error}).") from error
        self.restart()

    def restart(self) -> None:
        """Load the code anew, so that nothing that it may have kept goes from one seeded episode to another.

        Raises:
            RewardError: The code fails while it is loaded.
        """
        namespace: dict[str, Any] = {"__builtins__": _builtins(), "__name__": "reward"}
        try:
            exec(self._code, namespace)  # noqa: S102  (the process is sealed)
        except BaseException as error:
            raise RewardError(f"The reward cannot be loaded ({_described(error)}).") from error
        function = namespace.get(FUNCTION)
        if not callable(function):
            raise RewardError(f"The reward's code defines no function `{FUNCTION}`.")
        self._function: Callable[..., Any] = function

    def __call__(self, obs: Any, action: Any, next_obs: Any, info: dict[str, Any]) -> float:
        """Return the reward of a step; 0 where there is none to be had.

        Raises:
            RewardError: Most of the last calls failed, or memory ran out again and again.
        """
        self.calls += 1
        try:
            reward, components = self._function(obs, action, next_obs, info)
            reward = _number(reward)
            if components:
                self._add(components)
        except BaseException as error:  # noqa: BLE001  (`SystemExit` too: it is only this step that failed)
            self._count(error)
            return 0.0
        self._total += reward
        return reward

    @property
    def components(self) -> dict[str, float]:
        """Mean of each component over the calls without an error."""
        sound = self.calls - self.errors
        return {name: value / sound for name, value in self._sums.items()} if sound else {}

    @property
    def mean(self) -> float:
        """Mean reward of the calls without an error; NaN before the first."""
        sound = self.calls - self.errors
        return self._total / sound if sound else math.nan

    def summary(self) -> dict[str, Any]:
        """Return `calls`, `errors`, `components`, `messages` as plain data."""
        return {
            "calls": self.calls,
            "errors": self.errors,
            "components": self.components,
            "messages": dict(self.messages),
        }

    def require_sound(self) -> None:
        """Refuse a reward that failed in most of its calls, however few they were.

        Raises:
            RewardError: It did.
        """
        if self.errors * 2 > self.calls:
            raise self._failure(self.errors, self.calls)

    def _add(self, components: dict[str, Any]) -> None:
        if type(components) is not dict or len(components) > MAX_COMPONENTS:
            raise TypeError(f"the components must be a dict of at most {MAX_COMPONENTS} numbers")
        sums = self._sums
        for name, value in components.items():
            number = float(value)
            if not -math.inf < number < math.inf:
                raise ValueError(f"the component `{str(name)[:MAX_COMPONENT_NAME]}` is {number}")
            try:
                sums[name] += number
            except KeyError:
                self._begin(name, number)

    def _begin(self, name: Any, number: float) -> None:
        if type(name) is not str or len(name) > MAX_COMPONENT_NAME:
            raise TypeError(
                f"the name of a component must be a text of at most {MAX_COMPONENT_NAME} characters"
            )
        if len(self._sums) >= MAX_COMPONENTS:
            raise TypeError(f"there are more than {MAX_COMPONENTS} names of components")
        self._sums[name] = number

    def _count(self, error: BaseException) -> None:
        self.errors += 1
        text = _described(error)
        if text in self.messages or len(self.messages) < _KEPT_ERRORS:
            self.messages[text] = self.messages.get(text, 0) + 1
        if self.calls - self._window > _WINDOW_CALLS:
            self._window, self._window_errors = self.calls - 1, 0
        self._window_errors += 1
        self._memory_errors += isinstance(error, MemoryError)
        recent = self.calls - self._window
        mostly = recent >= _FEWEST_CALLS and self._window_errors * 2 > recent
        if mostly or self._memory_errors >= _MEMORY_ERRORS:
            raise self._failure(self._window_errors, recent)

    def _failure(self, errors: int, calls: int) -> RewardError:
        first = next(iter(self.messages), "no message")
        return RewardError(f"The reward failed in {errors} of {calls} steps, first with {first}.")


class RewardedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with a candidate's reward in place of its own, which stays in `info["env_reward"]`.

    The reward sees read-only copies; what the environment returns goes to the trainer untouched.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], reward: RewardFunction) -> None:
        super().__init__(env)
        self._reward = reward
        self._before: Any = None
        self._discrete = isinstance(env.action_space, gymnasium.spaces.Discrete)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; one with a seed begins with newly loaded reward code."""
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._reward.restart()
        self._before = _frozen(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step the environment and reward the step.

        Raises:
            RewardError: The reward failed on most of the last steps.
        """
        observation, own, terminated, truncated, info = self.env.step(action)
        after = _frozen(observation)
        told = _copied(info)
        told["env_reward"] = own = float(own)
        told["terminated"], told["truncated"] = terminated, truncated
        done = int(action) if self._discrete else _frozen(np.asarray(action))
        reward = self._reward(self._before, done, after, told)
        self._before = after
        info["env_reward"] = own
        return observation, reward, terminated, truncated, info


def _number(value: Any) -> float:
    if not isinstance(value, _NUMBERS) and getattr(value, "shape", None) != ():
        raise TypeError(f"the reward must be a number, not `{type(value).__name__}`")
    number = float(value)
    if not -MAX_REWARD <= number <= MAX_REWARD:
        raise ValueError(f"the reward is {number}, which is not within ±{MAX_REWARD:g}")
    return number


def _frozen(value: Any) -> Any:
    """Return a read-only copy of an observation or action."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.setflags(write=False)
        return copy
    if isinstance(value, dict):
        return {name: _frozen(part) for name, part in value.items()}
    return value


def _copied(info: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if type(value) in _SCALARS else _copy(value) for name, value in info.items()}


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return _copied(value)
    if isinstance(value, list | tuple):
        return type(value)([_copy(item) for item in value]) if type(value) in {list, tuple} else list(value)
    return value


def _builtins() -> dict[str, Any]:
    allowed = {name: getattr(builtins, name) for name in BUILTINS}
    return {**allowed, "__import__": _import}


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    if name not in IMPORTABLE:
        raise ImportError(f"a reward may not import `{name}`")
    return builtins.__import__(name, *args, **kwargs)


def _described(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  (an exception of hostile code)
        text = ""
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
