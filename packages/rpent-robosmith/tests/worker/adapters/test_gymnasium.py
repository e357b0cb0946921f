"""Gymnasium's environments through the contract: one of each family."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.testing.env_adapter_contract import EnvAdapterContract
from rpent_robosmith.worker.adapters.gymnasium import GymnasiumAdapter
from rpent_robosmith.worker.making import UNLIMITED_STEPS, make_env, max_episode_steps


class GymnasiumContract(EnvAdapterContract):
    name: str

    @pytest.fixture
    def adapter(self):
        return GymnasiumAdapter()

    @pytest.fixture
    def entry(self):
        return find(self.name)


class TestCartPole(GymnasiumContract):
    name = "cartpole"
    renders = False  # pygame comes with Box2D


class TestPendulum(GymnasiumContract):
    name = "pendulum"
    renders = False


class TestLunarLanderContinuous(GymnasiumContract):
    name = "lunar-lander-continuous"

    @pytest.fixture(autouse=True)
    def _needs(self):
        pytest.importorskip("Box2D")


class TestReacher(GymnasiumContract):
    name = "reacher"
    renders = False  # drawn in the environment `robosmith`, see test_inside

    @pytest.fixture(autouse=True)
    def _needs(self):
        pytest.importorskip("mujoco")


def test_the_arguments_of_an_entry_reach_the_environment():
    pytest.importorskip("Box2D")
    assert make_env(find("lunar-lander-continuous")).action_space.shape == (2,)
    assert make_env(find("lunar-lander")).action_space.n == 4


def test_a_misspelled_id_is_answered():
    with pytest.raises(UsageError, match=r"Gymnasium cannot make `Pendulumm-v1`.*Pendulum"):
        make_env(find("Pendulumm-v1"))


def test_an_environment_without_a_limit_gets_one():
    import gymnasium

    class Endless(gymnasium.Env):
        observation_space = action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            return 0, 0.0, False, False, {}

    gymnasium.register("RpentEndless-v0", Endless)
    try:
        env = make_env(find("RpentEndless-v0"))
        assert max_episode_steps(env) == UNLIMITED_STEPS
    finally:
        del gymnasium.registry["RpentEndless-v0"]
