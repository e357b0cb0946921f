"""The contract of an env server: state, closed-loop motion, pictures, exact snapshots, guardrails."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.env.types import CHUNK_OBSERVE, ENV_METHODS
from rpent.errors import RpentError
from rpent.rpc.codec import decode, encode
from rpent.rpc.facade import CallContext
from rpent.rpc.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.env.types import ChunkObserve
    from rpent.rpc.facade import Facade


class LocalChannel:
    """Calls a facade on the calling thread, everything through the codec: only plain data gets across."""

    def __init__(self, facade: Facade) -> None:
        self.facade = facade
        self.info: Any = facade

    def call(
        self,
        method: str,
        /,
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        on_progress: Callable[[Any], None] | None = None,
        **params: Any,
    ) -> Any:
        """Call a method as a remote channel would, on this thread."""
        handler = self.facade.methods[method].handler
        Parameters.of(handler).check(method, params)
        context = CallContext("local", cancel or CancelToken(), on_progress or (lambda _: None))
        result = handler(context, **decode(encode(params)))
        if isinstance(result, Future):
            result = result.result(timeout_s)
        return decode(encode(result))

    def close(self) -> None:
        """Release the service."""
        self.facade.close()


class EnvContract:
    """The tests of any env server. Subclass it and build the facade.

    Example::

        class TestMyEnv(EnvContract):
            reachable = [0.1, 0.0, 0.2]

            @classmethod
            def facade(cls):
                return create(MyEnvConfig())
    """

    reachable: ClassVar[Sequence[float]]
    """A position that the hand reaches from the start of an episode."""

    _env: ClassVar[EnvClient]

    @classmethod
    def facade(cls) -> Facade:
        """Build the env server."""
        raise NotImplementedError

    @classmethod
    def setup_class(cls) -> None:
        """Build the env, once for the class."""
        cls._env = EnvClient(LocalChannel(cls.facade()))

    @classmethod
    def teardown_class(cls) -> None:
        """Release it."""
        cls._env.channel.close()

    @pytest.fixture
    def env(self) -> EnvClient:
        """The env, reset."""
        self._env.reset()
        return self._env

    def test_the_method_table_is_complete(self, env: EnvClient) -> None:
        """Every method of the contract is offered."""
        assert set(env.channel.info.methods) >= set(ENV_METHODS)

    def test_it_says_what_it_is(self, env: EnvClient) -> None:
        """Task, cameras, action and workspace are described."""
        about = env.describe()
        assert about["instruction"].strip()
        assert about["cameras"]
        assert len(about["action_low"]) == len(about["action_high"]) == about["action_dim"]
        assert np.all(np.asarray(about["workspace"]["low"]) < np.asarray(about["workspace"]["high"]))
        assert about["max_episode_steps"] > 0

    def test_reset_starts_at_step_zero_and_is_reproducible(self, env: EnvClient) -> None:
        """The same seed gives the same state."""
        first = env.reset(seed=1)
        saved = env.snapshot()
        again = env.reset(seed=1)
        assert first.step == again.step == 0
        np.testing.assert_array_equal(first.eef_position, again.eef_position)
        assert env.snapshot() == saved

    def test_steps_are_counted(self, env: EnvClient) -> None:
        """One by one and in chunks."""
        null = np.zeros(env.describe()["action_dim"])
        assert env.step(null).step == 1
        observation, executed, rewards = env.chunk_step(np.tile(null, (5, 1)))
        assert (observation.step, executed, len(rewards)) == (6, 5, 5)

    def test_a_chunk_is_looked_at_on_its_way(self, env: EnvClient) -> None:
        """Where the env server can: the pictures and states of just these control steps, and of no others."""
        if not env.describe().get(CHUNK_OBSERVE):
            pytest.skip("This env server does not look while it carries out a chunk.")
        camera, saved = env.describe()["cameras"][0], env.snapshot()
        actions = np.full((5, env.describe()["action_dim"]), 0.3)
        look: ChunkObserve = {"cameras": [camera], "size": {camera: 64}, "at": [2, 4]}
        after, executed, observed = env.watched_chunk_step(actions, look)
        assert (after.step, executed, [each.step for each in observed]) == (5, 5, [2, 4])
        assert after.images == {}
        env.restore(saved)
        for seen in observed:
            one = [env.step(action) for action in actions[:2]][-1]
            there = env.observe([camera], size=64)
            assert seen.step == one.step
            np.testing.assert_array_equal(seen.eef_position, one.eef_position)
            np.testing.assert_array_equal(seen.images[camera], there.images[camera])
        assert env.watched_chunk_step(actions[:1], {"cameras": [], "size": 64, "at": []})[2] == []
        with pytest.raises(RpentError):
            env.watched_chunk_step(actions, {**look, "cameras": ["no such camera"]})
        assert env.observe().step == 5, "nothing moves where nothing can be seen"

    def test_a_servo_reaches_its_target(self, env: EnvClient) -> None:
        """Position within tolerance, steps counted in the observation."""
        result = env.servo([{"position": list(self.reachable)}], {"position_tolerance_m": 0.01})
        assert result.status == "reached"
        assert result.waypoints_reached == 1
        assert result.observation.step == result.steps > 0
        np.testing.assert_allclose(result.observation.eef_position, self.reachable, atol=0.02)

    def test_a_servo_keeps_its_budget(self, env: EnvClient) -> None:
        """It stops after `max_steps` control steps."""
        result = env.servo([{"position": list(self.reachable)}], {"max_steps": 2})
        assert (result.status, result.steps) == ("step_budget", 2)

    def test_a_servo_can_be_cancelled(self, env: EnvClient) -> None:
        """A call that is cancelled before it begins moves nothing."""
        token = CancelToken()
        token.cancel()
        result = env.servo([{"position": list(self.reachable)}], cancel=token)
        assert (result.status, result.steps) == ("cancelled", 0)

    def test_pictures_come_on_request_only(self, env: EnvClient) -> None:
        """Upright pictures, metric depth and calibration of the size that was asked for."""
        assert env.observe().images == {}
        name = env.describe()["cameras"][0]
        observation = env.observe([name], size=64, depth=True)
        assert observation.images[name].shape == (64, 64, 3)
        assert observation.images[name].dtype == np.uint8
        assert observation.depth[name].shape == (64, 64)
        assert np.all(np.isfinite(observation.depth[name]))
        meta = observation.cameras[name]
        assert (meta.width, meta.height) == (64, 64)
        np.testing.assert_array_equal(meta.intrinsics, env.camera_meta(name, size=64).intrinsics)
        rotation = meta.world_from_camera[:3, :3]
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)

    def test_restoring_and_repeating_is_exact(self, env: EnvClient) -> None:
        """The same motion from the same snapshot gives the same bytes."""
        env.servo([{"position": list(self.reachable)}], {"max_steps": 3})
        saved = env.snapshot()
        before = env.observe()
        ends = []
        for _ in range(2):
            restored = env.restore(saved)
            assert restored.step == before.step
            np.testing.assert_array_equal(restored.eef_position, before.eef_position)
            env.servo([{"position": list(self.reachable)}])
            ends.append(env.snapshot())
        assert ends[0] == ends[1]

    def test_its_actions_can_be_repeated(self, env: EnvClient) -> None:
        """Where it keeps the executed actions: from the same snapshot they lead to the same state, bit for bit."""
        if "actions" not in env.channel.info.methods:
            pytest.skip("This env server does not offer the optional method `actions`.")
        dimension = env.describe()["action_dim"]
        env.chunk_step(np.full((3, dimension), 0.2))
        saved = env.snapshot()
        assert len(env.restore(saved).eef_position) == 3
        assert len(env.actions()[0]) == 0  # what led to a state that was left is forgotten
        env.servo([{"position": list(self.reachable)}])
        env.step(np.full(dimension, 7.0))  # clamped: what was really done is kept
        there = env.snapshot()
        actions, first = env.actions()
        assert first == 3
        assert first + len(actions) == env.observe().step
        assert env.actions()[0].shape == (0, dimension)
        env.restore(saved)
        env.chunk_step(actions)
        assert env.snapshot() == there

    @pytest.mark.parametrize(
        "target", [[np.nan, 0.0, 0.0], [0.0, np.inf, 0.0], [1000.0, 0.0, 0.0], [0.0, 0.0, -1000.0], [0.0]]
    )
    def test_impossible_targets_are_one_sentence(self, env: EnvClient, target: list[float]) -> None:
        """NaN, infinity, wrong shapes and places outside the workspace are refused, and nothing moves."""
        with pytest.raises(RpentError) as caught:
            env.servo([{"position": target}])
        assert "\n" not in caught.value.message
        assert env.observe().step == 0

    def test_impossible_actions_are_refused(self, env: EnvClient) -> None:
        """NaN and wrong lengths."""
        dimension = env.describe()["action_dim"]
        for action in (np.full(dimension, np.nan), np.zeros(dimension + 1)):
            with pytest.raises(RpentError):
                env.step(action)
        assert env.observe().step == 0

    def test_unknown_cameras_and_snapshots_are_refused(self, env: EnvClient) -> None:
        """With an expected error."""
        with pytest.raises(RpentError):
            env.observe(["no such camera"])
        with pytest.raises(RpentError):
            env.restore(b"not a snapshot")
