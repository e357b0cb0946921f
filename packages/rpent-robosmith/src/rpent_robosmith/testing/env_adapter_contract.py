"""The contract of an env adapter: honest spaces, seeds that reach the simulator, ends, readable success, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from rpent.errors import UsageError

from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.measuring import Meter
from rpent_robosmith.worker.spaces import space_facts
from rpent_robosmith.worker.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.worker.api import EnvAdapter

STEPS = 60
SEED = 3


class SampledActions:
    """A policy of random actions from an action space, the same for the same seed."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self._space = space

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        self._space.seed(seed)

    def act(self, observation: Any) -> NDArray[np.generic] | int:  # noqa: ARG002  (as of any policy)
        """Return an action."""
        action: NDArray[np.generic] | int = self._space.sample()
        return action


class EnvAdapterContract:
    """The tests of any env adapter. Subclass it, and give it the adapter and an entry of its.

    Example::

        class TestMyAdapter(EnvAdapterContract):
            @pytest.fixture
            def adapter(self): return MyAdapter()

            @pytest.fixture
            def entry(self): return find("my-arm-reach")
    """

    renders: ClassVar[bool] = True
    """Whether pictures can be had where the tests run."""
    varies: ClassVar[bool] = True
    """Whether another seed begins another episode."""

    @pytest.fixture
    def adapter(self) -> EnvAdapter:
        """The adapter under test."""
        raise NotImplementedError

    @pytest.fixture
    def entry(self) -> EnvEntry:
        """An entry that it makes, with a success that can be judged."""
        raise NotImplementedError

    @pytest.fixture
    def env(self, adapter: EnvAdapter, entry: EnvEntry) -> Iterator[gymnasium.Env[Any, Any]]:
        """The environment, closed at the end."""
        made = adapter.make(entry)
        yield made
        made.close()

    def test_it_is_a_gymnasium_environment_with_spaces_that_are_known(
        self, env: gymnasium.Env[Any, Any]
    ) -> None:
        """Observations are Box, Discrete or Dict of Box; actions Box or Discrete."""
        assert isinstance(env, gymnasium.Env)
        seen = env.observation_space
        parts = list(seen.spaces.values()) if isinstance(seen, spaces.Dict) else [seen]
        assert parts
        assert all(isinstance(part, spaces.Box | spaces.Discrete) for part in parts)
        assert isinstance(env.action_space, spaces.Box | spaces.Discrete)
        assert space_facts(seen).size > 0

    def test_what_is_seen_is_in_its_space_and_finite(self, env: gymnasium.Env[Any, Any]) -> None:
        """Every observation belongs to the declared space, every reward is a finite number."""
        seen = walk(env, SEED, STEPS)
        assert seen.strays == 0
        assert np.all(np.isfinite(seen.rewards))

    def test_the_same_seed_gives_the_same_episode_again(self, env: gymnasium.Env[Any, Any]) -> None:
        """After another episode in between, too."""
        first = walk(env, SEED, STEPS)
        walk(env, SEED + 1, STEPS)
        assert walk(env, SEED, STEPS).same(first)

    def test_the_same_seed_gives_the_same_episode_in_a_fresh_environment(
        self, adapter: EnvAdapter, entry: EnvEntry, env: gymnasium.Env[Any, Any]
    ) -> None:
        """Nothing that is drawn when an environment is made differs."""
        first = walk(env, SEED, STEPS)
        fresh = adapter.make(entry)
        try:
            assert walk(fresh, SEED, STEPS).same(first)
        finally:
            fresh.close()

    def test_another_seed_begins_another_episode(self, env: gymnasium.Env[Any, Any]) -> None:
        """The seed reaches the simulator."""
        if not self.varies:
            pytest.skip("this environment always begins the same")
        starts = [walk(env, seed, 1) for seed in (SEED, SEED + 1, SEED + 2)]
        assert not (starts[0].same(starts[1]) and starts[0].same(starts[2]))

    def test_an_episode_ends_at_the_entrys_limit(self, adapter: EnvAdapter, entry: EnvEntry) -> None:
        """`max_episode_steps` of the entry holds, and is told as a truncation."""
        env = adapter.make(entry.model_copy(update={"max_episode_steps": 5}))
        try:
            record = run_episode(env, SampledActions(env.action_space), _unjudged(entry), SEED)
        finally:
            env.close()
        assert not record.error
        assert record.length <= 5
        assert record.truncated or record.terminated

    def test_measures_and_success_can_be_read(self, env: gymnasium.Env[Any, Any], entry: EnvEntry) -> None:
        """What the entry declares is there at every step."""
        meter = Meter(entry)
        for step in walk(env, SEED, STEPS).steps:
            meter.step(step.observation, step.action, step.reward, step.info)
        assert set(meter.measures()) == set(entry.measures)
        assert all(np.isfinite(value) for value in meter.measures().values())
        assert meter.success(terminated=False) in {True, False}

    def test_names_are_as_many_as_numbers(self, adapter: EnvAdapter, env: gymnasium.Env[Any, Any]) -> None:
        """What the adapter names fits the spaces."""
        seen, action = space_facts(env.observation_space), space_facts(env.action_space)
        sizes = {key: part.size for key, part in seen.parts.items()} | {
            "action": action.n or action.size,
            "observation": seen.size if not seen.parts else seen.parts.get("observation", seen).size,
        }
        for part, names in adapter.numbers(env).items():
            assert len(names) == sizes[part]

    def test_an_unknown_environment_is_one_sentence(self, adapter: EnvAdapter, entry: EnvEntry) -> None:
        """No traceback of the framework's."""
        stranger = entry.model_copy(update={"env_id": "NoSuchEnvironment-v0", "kwargs": {}})
        with pytest.raises(UsageError):
            adapter.make(stranger)

    def test_an_unknown_argument_is_refused(self, adapter: EnvAdapter, entry: EnvEntry) -> None:
        """`kwargs` act or are refused."""
        given = {**entry.kwargs, "no_such_argument": 1}
        with pytest.raises(UsageError):
            adapter.make(entry.model_copy(update={"kwargs": given}))

    def test_it_renders(self, adapter: EnvAdapter, entry: EnvEntry) -> None:
        """`rgb_array` gives a picture with something in it; without a render mode nothing is drawn."""
        if not self.renders:
            pytest.skip("nothing is drawn here")
        env = adapter.make(entry, render_mode="rgb_array")
        try:
            env.reset(seed=SEED)
            picture: Any = env.render()
        finally:
            env.close()
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
        assert picture.std() > 0


def _unjudged(entry: EnvEntry) -> EnvEntry:
    """Return an entry whose episodes are short, so that only their length counts."""
    success = type(entry.success)(measure="length", at_least=1)
    return entry.model_copy(update={"measures": {}, "success": success, "progress": "return"})
