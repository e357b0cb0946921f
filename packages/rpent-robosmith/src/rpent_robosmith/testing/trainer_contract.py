"""The contract of a trainer: what it reports is what it did, its policies run, and going on is as never having stopped.

Run it where the trainer can be imported; `rpent.testing.environments.run_tests` runs a file of tests in a managed
environment.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
import pytest
from rpent.errors import UsageError
from rpent.rpc.codec import Limits, decode, encode

from rpent_robosmith.policy.shapes import check_parameters
from rpent_robosmith.training.checkpoints import APPENDED, KEEP_ROWS
from rpent_robosmith.worker.api import TrainingTask
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.policies import policy_function
from rpent_robosmith.worker.spaces import space_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.worker.api import Trainer

_LIMITS = Limits(message_bytes=2**30)


class TrainerContract:
    """The tests of any trainer and algorithm. Subclass it, and give it a trainer and an environment.

    Example::

        class TestMyPpo(TrainerContract):
            algorithm = "my-ppo"
            total_steps, segment_steps = 600, 200

            @pytest.fixture
            def make_trainer(self):
                return MyTrainer

            @pytest.fixture
            def entry(self):
                return find("cartpole")
    """

    algorithm: ClassVar[str]
    total_steps: ClassVar[int] = 600
    segment_steps: ClassVar[int] = 200
    """A third of the steps or less, so that there is something to go on from."""
    hyperparameters: ClassVar[Mapping[str, Any]] = {}
    """Such that a few hundred steps suffice for updates."""
    n_envs: ClassVar[int] = 1
    normalize_observations: ClassVar[bool] = False
    normalize_rewards: ClassVar[bool] = False
    steps_environments: ClassVar[bool] = True
    """Whether it steps the environments: imitation need not."""
    dataset: ClassVar[str | None] = None

    @pytest.fixture
    def make_trainer(self) -> Callable[[], Trainer]:
        """Makes the trainer under test, anew each time."""
        raise NotImplementedError

    @pytest.fixture
    def entry(self) -> EnvEntry:
        """The environment to train in."""
        raise NotImplementedError

    @pytest.fixture
    def train(self, make_trainer: Callable[[], Trainer], entry: EnvEntry) -> Train:
        """Trains from the beginning or from a checkpoint."""
        return Train(self, make_trainer, entry)

    @pytest.fixture
    def whole(self, train: Train) -> Session:
        """An uninterrupted training, the same one for all tests of the class."""
        kept = type(self).__dict__.get("_whole")
        if kept is None:
            kept = train()
            type(self)._whole = kept  # type: ignore[attr-defined]
        return kept

    def test_steps_reported_are_steps_executed(self, whole: Session) -> None:
        """Neither the requested ones nor those of one environment of several."""
        session = whole
        if self.steps_environments:
            assert session.returned == session.executed
        assert session.steps[-1] == session.returned
        assert session.steps == sorted(set(session.steps))
        assert session.returned >= self.total_steps

    def test_policies_run_in_the_environment(self, whole: Session, entry: EnvEntry) -> None:
        """Their description is of the environment's own spaces, and their actions are in its action space."""
        env = make_env(entry)
        for policy in whole.policies:
            check_parameters(policy)
            assert policy.description.algorithm == self.algorithm
            assert policy.description.observation == space_facts(env.observation_space)
            assert policy.description.action == space_facts(env.action_space)
            observation, _ = env.reset(seed=1)
            function = policy_function(policy)
            function.reset(1)
            action = function.act(observation)
            assert env.action_space.contains(action) or isinstance(action, int)
            env.step(action)

    def test_it_learns_something(self, whole: Session) -> None:
        """The policy of the last segment is not that of the first."""
        assert not equal(whole.policies[0].weights, whole.policies[-1].weights)

    def test_the_seed_decides(self, whole: Session, train: Train) -> None:
        """The same seed gives the same policy, another one another."""
        first = whole.policies[-1]
        assert same(first, train().policies[-1])
        assert not same(first, train(seed=1).policies[-1])

    def test_going_on_from_any_segment_is_as_never_having_stopped(self, whole: Session, train: Train) -> None:
        """Bit for bit the same policies, and the same that would be saved next; through messages as they are sent."""
        assert len(whole.saved) >= 3
        for number in range(1, len(whole.saved)):
            rest = train(resume=kept(whole.saved[:number]))
            assert rest.steps == whole.steps[number:]
            for one, other in zip(rest.policies, whole.policies[number:], strict=True):
                assert same(one, other)
            assert equal(rest.saved[-1], whole.saved[-1])

    def test_a_callback_ends_it(self, train: Train) -> None:
        """`segment_done` says after which segment, `stopping` in the middle of one."""
        session = train(segments=1)
        assert len(session.policies) == 1
        assert session.returned < self.total_steps

    def test_an_unknown_hyperparameter_is_refused(self, train: Train) -> None:
        """It is named, instead of being left out silently."""
        with pytest.raises(UsageError, match="no_such_thing"):
            train(hyperparameters={"no_such_thing": 1})


class Train:
    """Runs the trainer as the training job does; the environments count their steps."""

    def __init__(
        self, contract: TrainerContract, make_trainer: Callable[[], Trainer], entry: EnvEntry
    ) -> None:
        self._contract, self._make, self._entry = contract, make_trainer, entry

    def __call__(
        self,
        *,
        seed: int = 0,
        resume: Mapping[str, Any] | None = None,
        segments: int | None = None,
        hyperparameters: Mapping[str, Any] | None = None,
    ) -> Session:
        """Train, and return what was told meanwhile."""
        contract = self._contract
        session = Session(segments)
        task = TrainingTask(
            algorithm=contract.algorithm,
            entry=self._entry,
            make_env=lambda _index: Counting(make_env(self._entry), session),
            seed=seed,
            total_steps=contract.total_steps,
            n_envs=contract.n_envs,
            normalize_observations=contract.normalize_observations,
            normalize_rewards=contract.normalize_rewards,
            hyperparameters={**contract.hyperparameters, **(hyperparameters or {})},
            segment_steps=contract.segment_steps,
            resume=resume,
            dataset=contract.dataset,
        )
        session.returned = self._make().train(task, session)
        return session


class Session:
    """The callbacks of one training: keeps all that it is told, as messages leave it."""

    def __init__(self, segments: int | None) -> None:
        self._segments = segments
        self.executed = self.returned = 0
        self.steps: list[int] = []
        self.policies: list[PolicyParameters] = []
        self.saved: list[Any] = []

    def progress(self, steps: int, **numbers: float) -> None:
        """Take note of nothing."""

    def stopping(self) -> bool:
        """Never in the middle of a segment."""
        return False

    def segment_done(
        self, steps: int, policy: PolicyParameters, save: Callable[[], Mapping[str, Any]]
    ) -> bool:
        """Keep the policy and the checkpoint."""
        self.steps.append(steps)
        self.policies.append(policy)
        self.saved.append(decode(encode(dict(save()), _LIMITS), _LIMITS))
        return self._segments is None or len(self.policies) < self._segments


class Counting(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts steps, and refuses one after the end of an episode."""

    def __init__(self, env: gymnasium.Env[Any, Any], session: Session) -> None:
        super().__init__(env)
        self._session, self._over = session, True

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        self._over = False
        return self.env.reset(**arguments)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and count."""
        assert not self._over, "a step after the end of an episode"
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._session.executed += 1
        self._over = terminated or truncated
        return observation, reward, terminated, truncated, info


def kept(saved: list[Any]) -> dict[str, Any]:
    """Return the last of these checkpoints, with the appended rows of all."""
    last = dict(saved[-1])
    if APPENDED in last:
        rows = {name: np.concatenate([each[APPENDED][name] for each in saved]) for name in last[APPENDED]}
        last[APPENDED] = (
            {name: row[-last[KEEP_ROWS] :] for name, row in rows.items()} if KEEP_ROWS in last else rows
        )
    return last


def same(one: PolicyParameters, other: PolicyParameters) -> bool:
    """Return whether two policies are the same, bit for bit."""
    return one.description == other.description and equal(one.weights, other.weights)


def equal(one: Any, other: Any) -> bool:
    """Return whether two pieces of plain data with arrays are the same, bit for bit; NaN is NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return nan or bool(one == other)
