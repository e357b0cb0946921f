"""Seeded episodes: the same seed gives the same record, a crash is a record, a success is honest."""

from __future__ import annotations

import math

import gymnasium
import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.testing.env_adapter_contract import SampledActions
from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.making import make_env


class Scripted:
    """Acts by a function of the observation."""

    def __init__(self, act):
        self.act = act

    def reset(self, seed):
        """Begin an episode."""


def swing_up(observation):
    """Pump energy into the pendulum, and hold it by feedback near the top (m = l = 1, g = 10)."""
    cosine, sine, speed = (float(number) for number in observation)
    angle = math.atan2(sine, cosine)
    if cosine > 0.9:
        torque = -(15.0 * angle + 4.0 * speed)
    else:
        energy = speed**2 / 6 + 5.0 * (cosine - 1)
        torque = -2.0 * math.copysign(1.0, energy * speed) if abs(speed) > 1e-3 else 2.0
    return np.array([max(-2.0, min(2.0, torque))], dtype=np.float32)


def balance(observation):
    """Push the cart to where the pole falls."""
    _, speed, angle, turning = (float(number) for number in observation)
    return int(angle * 10 + turning + 0.1 * speed > 0)


@pytest.mark.parametrize(("name", "act"), [("pendulum", swing_up), ("cartpole", balance)])
def test_a_controller_that_does_it_succeeds_and_random_actions_do_not(name, act):
    entry = find(name)
    env = make_env(entry)
    skilled = [run_episode(env, Scripted(act), entry, 1_000_000 + i) for i in range(5)]
    random = [run_episode(env, SampledActions(env.action_space), entry, 1_000_000 + i) for i in range(5)]
    assert [record.success for record in skilled] == [True] * 5
    assert [record.success for record in random] == [False] * 5


def test_the_same_seed_gives_the_same_record():
    entry = find("pendulum")
    env, other = make_env(entry), make_env(entry)
    first = run_episode(env, SampledActions(env.action_space), entry, 7)
    run_episode(env, SampledActions(env.action_space), entry, 8)
    assert run_episode(env, SampledActions(env.action_space), entry, 7) == first
    assert run_episode(other, SampledActions(other.action_space), entry, 7) == first
    assert (first.length, first.truncated, first.error) == (200, True, "")


def test_those_who_watch_see_every_step():
    entry = find("cartpole")
    env = make_env(entry)
    seen = []
    record = run_episode(env, Scripted(lambda _: 1), entry, 3, watch=seen.append)
    assert len(seen) == record.length
    assert seen[-1].terminated
    np.testing.assert_array_equal(seen[0].observation, seen[1].before)


class Breaking(gymnasium.Env):
    """Gives what it is told after three steps."""

    observation_space = gymnasium.spaces.Box(-1, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, observation=0.0, reward=0.0, error=None):
        self.given = observation, reward, error
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return np.zeros(1), {}

    def step(self, action):
        self.steps += 1
        observation, reward, error = self.given if self.steps == 3 else (0.0, 1.0, None)
        if error is not None:
            raise error
        return np.array([observation]), reward, False, self.steps == 5, {}


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (Breaking(error=RuntimeError("the\nsimulator broke")), "RuntimeError: the simulator broke"),
        (Breaking(observation=math.nan), "FloatingPointError: the environment's observation"),
        (Breaking(reward=math.inf), "FloatingPointError: the environment's reward is inf"),
        (Breaking(error=SystemError("x" * 9999)), "SystemError: xxx"),
    ],
)
def test_a_crash_is_a_record_of_what_was_before(env, said):
    entry = find("cartpole").model_copy(update={"measures": {}, "progress": "return"})
    record = run_episode(env, Scripted(lambda _: 0), entry, 0)
    assert record.error.startswith(said)
    assert len(record.error) <= 500
    assert (record.length, record.total, record.success) == (2, 2.0, False)


def test_a_policy_that_crashes_is_no_mistake_of_the_caller():
    entry = find("cartpole")
    record = run_episode(make_env(entry), Scripted(lambda _: 1 / 0), entry, 0)
    assert record.error == "ZeroDivisionError: division by zero"
    assert record.length == 0


def test_a_success_that_cannot_be_judged_is_refused():
    entry = find("SomeOther-v1").model_copy(update={"env_id": "CartPole-v1"})
    with pytest.raises(UsageError, match="has no success signal"):
        run_episode(make_env(entry), Scripted(lambda _: 0), entry, 0)
