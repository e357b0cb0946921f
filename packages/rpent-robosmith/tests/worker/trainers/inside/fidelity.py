"""Our policies against the library's own prediction, for every algorithm and kind of observation."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch  # noqa: TID253  (run inside)
from gymnasium import spaces
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.measures import Success
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.worker.api import TrainingTask
from rpent_robosmith.worker.flat import FlatObservations, flat_env
from rpent_robosmith.worker.trainers import contrib, sb3
from rpent_robosmith.worker.trainers.building import build
from rpent_robosmith.worker.trainers.extraction import extract

torch.set_num_threads(1)
ENTRY = EnvEntry(
    id="here",
    name="Here",
    adapter="gymnasium",
    env_id="Here-v0",
    robot="none",
    tags=(),
    description="",
    success=Success(measure="return", at_least=0.0),
    progress="return",
)
OBSERVATIONS = {
    "vector": spaces.Box(-np.inf, np.inf, (4,), np.float32),
    "doubles": spaces.Box(-10, 10, (2, 3), np.float64),
    "parts": spaces.Dict(
        {
            "observation": spaces.Box(-1, 1, (3,), np.float64),
            "achieved_goal": spaces.Box(-1, 1, (2,), np.float64),
            "button": spaces.Discrete(3, start=1),
        }
    ),
    "discrete": spaces.Discrete(5),
}
ACTIONS = {
    "box": spaces.Box(np.array([-2.0, 0.5], np.float32), np.array([1.0, 3.0], np.float32)),
    "discrete": spaces.Discrete(3, start=2),
}
STEPS = 64
SMALL = {"learning_starts": 40, "batch_size": 32, "buffer_size": 500}
ALGORITHMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ppo": (sb3.ALGORITHMS["ppo"][0], {"n_steps": 32, "batch_size": 32}),
    "sac": (sb3.ALGORITHMS["sac"][0], SMALL),
    "td3": (sb3.ALGORITHMS["td3"][0], SMALL),
    "tqc": (contrib.ALGORITHMS["tqc"], SMALL),
    "crossq": (contrib.ALGORITHMS["crossq"], SMALL),
}
TOLERANCE = 1e-5


class Noise(gymnasium.Env[Any, Any]):
    """Observations of any space, of very different sizes."""

    def __init__(self, observation: spaces.Space[Any], action: spaces.Space[Any]) -> None:
        self.observation_space, self.action_space = observation, action
        self._t = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._t = 0
        if seed is not None:
            self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self._t += 1
        return self.observation_space.sample(), float(np.sum(action)), False, self._t == 20, {}


@pytest.mark.parametrize("normalized", [False, True], ids=["raw", "normalized"])
@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("observations", OBSERVATIONS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_equal_to_the_librarys_own_prediction(
    algorithm: str, observations: str, actions: str, normalized: bool
) -> None:
    if actions == "discrete" and algorithm != "ppo":
        pytest.skip("acts in boxes")
    kind, hyperparameters = ALGORITHMS[algorithm]
    original = Noise(OBSERVATIONS[observations], ACTIONS[actions])
    task = TrainingTask(
        algorithm=algorithm,
        entry=ENTRY,
        make_env=lambda _: Noise(OBSERVATIONS[observations], ACTIONS[actions]),
        seed=3,
        total_steps=STEPS,
        hyperparameters=hyperparameters,
        normalize_observations=normalized,
    )
    model, _ = build(kind, task, ("box", "discrete"))
    model.learn(STEPS)
    policy = NetworkPolicy(extract(model, task, "sb3"))
    flat = flat_env(original)
    normalize = model.get_vec_normalize_env()
    original.observation_space.seed(9)
    for _ in range(100):
        observation = original.observation_space.sample()
        vector = flat.observation(observation) if isinstance(flat, FlatObservations) else observation
        vector = vector if normalize is None else normalize.normalize_obs(vector)
        theirs, _ = model.predict(vector, deterministic=True)
        ours = policy.act(observation)
        if actions == "discrete":
            assert ours == theirs + 2
        else:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE)
            assert ours.dtype == np.float32
            assert original.action_space.contains(ours)


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_dict_observations_as_the_librarys_own_policy_for_them_takes_them(algorithm: str) -> None:
    """The same weights in `MultiInputPolicy`, which is what users of the library load, predict the same."""
    kind, hyperparameters = ALGORITHMS[algorithm]
    parts = spaces.Dict({**OBSERVATIONS["parts"].spaces, "button": spaces.Discrete(3)})
    task = TrainingTask(
        algorithm=algorithm,
        entry=ENTRY,
        make_env=lambda _: Noise(parts, ACTIONS["box"]),
        seed=3,
        total_steps=STEPS,
        hyperparameters=hyperparameters,
    )
    model, _ = build(kind, task, ("box",))
    model.learn(STEPS)
    policy = NetworkPolicy(extract(model, task, "sb3"))
    env = Noise(parts, ACTIONS["box"])
    theirs = kind("MultiInputPolicy", env, device="cpu")
    theirs.policy.load_state_dict(model.policy.state_dict())
    for _ in range(20):
        observation = env.observation_space.sample()
        expected, _ = theirs.predict(observation, deterministic=True)
        np.testing.assert_allclose(policy.act(observation), expected, rtol=0, atol=TOLERANCE)
