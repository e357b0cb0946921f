"""Reward code at work: values, errors, components, and the environment around it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from rpent_robosmith.worker.rewards import RewardedEnv, RewardError, RewardFunction

STEP = (np.zeros(3), np.zeros(2), np.ones(3), {})


def function(body: str, *, check: bool = True) -> RewardFunction:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return RewardFunction(
        f"import numpy as np\ndef compute_reward(obs, action, next_obs, info):\n{lines}\n", check=check
    )


def test_components_are_measured_and_not_added() -> None:
    reward = function("return next_obs[0] * info['n'], {'near': info['n'], 'far': -1.0}")
    values = [reward(*STEP[:3], {"n": float(n)}) for n in range(5)]
    assert values == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert reward.components == {"near": 2.0, "far": -1.0}
    assert (reward.calls, reward.errors, reward.mean) == (5, 0, 2.0)


@pytest.mark.parametrize(
    "value", ["1", "1.5", "np.float32(2)", "np.int64(3)", "True", "np.array(2.0)", "np.sum(obs)"]
)
def test_every_kind_of_number_is_a_reward(value: str) -> None:
    reward = function(f"return {value}, {{}}")
    reward(*STEP)
    assert reward.errors == 0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1.0", "TypeError: cannot unpack"),
        ("return None", "TypeError: cannot unpack"),
        ("return 1.0, {}, 3", "ValueError: too many values"),
        ("return 'x', {}", "the reward must be a number, not `str`"),
        ("return np.zeros(2), {}", "the reward must be a number, not `ndarray`"),
        ("return 1j, {}", "the reward must be a number, not `complex`"),
        ("return float('nan'), {}", "the reward is nan"),
        ("return -float('inf'), {}", "the reward is -inf"),
        ("return 1e300, {}", "not within ±1e+06"),
        ("return 10 ** 400, {}", "OverflowError"),
        ("return 1.0, [1.0]", "must be a dict of at most 32"),
        ("return 1.0, {i: 1.0 for i in range(1000)}", "must be a dict of at most 32"),
        ("return 1.0, {1: 1.0}", "the name of a component"),
        ("return 1.0, {'x' * 1000: 1.0}", "the name of a component"),
        ("return 1.0, {'x': float('nan')}", "the component `x` is nan"),
        ("return 1.0, {'x': 'much'}", "could not convert"),
        ("return info['missing'], {}", "KeyError: 'missing'"),
        ("next_obs[0] = 3\nreturn 1.0, {}", "ValueError: assignment destination is read-only"),
    ],
)
def test_a_bad_step_gives_nothing_and_is_counted(body: str, words: str) -> None:
    reward = function(body)
    frozen = np.ones(3)
    frozen.setflags(write=False)
    assert reward(STEP[0], STEP[1], frozen, {}) == 0.0
    assert (reward.calls, reward.errors) == (1, 1)
    assert words in next(iter(reward.messages))
    with pytest.raises(RewardError, match="failed in 1 of 1 steps"):
        reward.require_sound()


def test_names_of_components_cannot_grow_without_end() -> None:
    reward = function("return 1.0, {f'{next_obs[0]}': 1.0}")
    for number in range(40):
        reward(STEP[0], STEP[1], np.full(3, number), {})
    assert len(reward.components) == 32
    assert reward.errors == 8


def drive(reward: RewardFunction, steps: int) -> None:
    for number in range(steps):
        reward(*STEP[:3], {"n": number})


def test_a_reward_that_fails_in_most_steps_ends_the_job() -> None:
    reward = function("return 1.0 if info['n'] % 3 == 0 else np.nan, {}")
    with pytest.raises(
        RewardError, match=r"failed in \d+ of \d+ steps, first with ValueError: the reward is nan"
    ) as caught:
        drive(reward, 1000)
    assert caught.value.kind == "reward"
    assert reward.calls < 200


def test_a_reward_that_begins_to_fail_late_ends_the_job_as_well() -> None:
    reward = function("return 1.0 if info['n'] < 10_000 else None, {}")
    with pytest.raises(RewardError):
        drive(reward, 20_000)
    assert reward.calls < 10_500


def test_a_reward_that_runs_out_of_memory_is_not_called_again_and_again() -> None:
    reward = function("return np.ones(10 ** 16), {}")
    with pytest.raises(RewardError, match="failed in 3 of 3 steps"):
        drive(reward, 10)


def test_a_few_errors_are_counted_and_borne() -> None:
    reward = function("return 1 / (info['n'] % 10), {}")
    drive(reward, 1000)
    assert reward.errors == 100
    assert reward.messages == {"ZeroDivisionError: division by zero": 100}
    reward.require_sound()


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit",
        "1 / 0",
        "import os",
        "open('/etc/passwd')",
        "compute_reward = 3",
        "",
        "def compute_reward(:",
        "x = 'a\0'",
    ],
)
def test_what_cannot_be_loaded_is_an_error_of_the_reward(code: str) -> None:
    for check in (True, False):
        with pytest.raises(RewardError):
            RewardFunction(code, check=check)


def test_an_exit_is_an_error_of_its_step_only() -> None:
    reward = function("raise SystemExit(3)", check=False)
    assert reward(*STEP) == 0.0
    assert reward.errors == 1


class Line(gymnasium.Env[Any, Any]):
    """A point on a line, whose arrays are its own memory, as a simulator's are."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Dict(
        {"x": gymnasium.spaces.Box(-9, 9, (1,)), "goal": gymnasium.spaces.Box(-9, 9, (1,))}
    )

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.state = {"x": np.zeros(1), "goal": np.full(1, 3.0)}
        return self.state, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.state["x"] += 1 if action else -1
        self.info = {"where": self.state["x"], "nested": {"a": [1, 2]}, "is_success": True}
        return self.state, -7.0, False, self.state["x"][0] > 2, self.info


def test_the_reward_replaces_the_environments_own_which_stays_in_the_info() -> None:
    code = """
def compute_reward(obs, action, next_obs, info):
    return float(next_obs["x"][0] - obs["x"][0]) + 10 * action + info["env_reward"], {"truncated": info["truncated"]}
"""
    reward = RewardFunction(code)
    env = RewardedEnv(Line(), reward)
    env.reset(seed=0)
    _, value, _, _, info = env.step(np.array(1))
    assert value == 1.0 + 10 - 7
    assert info["env_reward"] == -7.0
    assert set(info) == {"env_reward", "where", "nested", "is_success"}
    env.step(1)
    env.step(1)
    assert reward.components == {"truncated": pytest.approx(1 / 3)}


def test_the_reward_cannot_change_what_the_trainer_sees() -> None:
    code = """
def compute_reward(obs, action, next_obs, info):
    info["is_success"] = False
    info["nested"]["a"].append(3)
    info["where"][0] = 100
    next_obs["goal"] = 0
    next_obs["x"][0] = 50
    return 0.0, {}
"""
    reward = RewardFunction(code)
    env = RewardedEnv(Line(), reward)
    env.reset(seed=0)
    observation, _, _, _, info = env.step(1)
    assert reward.errors == 1
    assert (observation["x"][0], observation["goal"][0]) == (1, 3)
    assert info["is_success"] is True
    assert info["nested"] == {"a": [1, 2]}


def test_nothing_is_kept_from_one_seeded_episode_to_another() -> None:
    code = """
seen = []
def compute_reward(obs, action, next_obs, info):
    seen.append(1)
    return float(len(seen)), {}
"""
    env = RewardedEnv(Line(), RewardFunction(code))
    for _ in range(2):
        env.reset(seed=1)
        assert [env.step(1)[1] for _ in range(3)] == [1.0, 2.0, 3.0]
