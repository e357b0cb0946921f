"""Delivered policies as the library's own files: they load there, and predict the same; run where torch is."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sb3_contrib  # noqa: TID253  (run inside)
import stable_baselines3  # noqa: TID253  (run inside)
from fidelity import ACTIONS, ALGORITHMS, ENTRY, OBSERVATIONS, STEPS, Noise
from gymnasium import spaces
from rpent.errors import UsageError
from rpent_robosmith.inspect.policies.sb3 import Sb3PolicyInspector
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.policy.format import PolicyParameters
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.worker.api import TrainingTask
from rpent_robosmith.worker.jobs import export
from rpent_robosmith.worker.trainers.building import build
from rpent_robosmith.worker.trainers.extraction import extract

PARTS = spaces.Dict({**OBSERVATIONS["parts"].spaces, "button": spaces.Discrete(3)})
LIBRARY: dict[str, Any] = {
    "ppo": stable_baselines3.PPO,
    "sac": stable_baselines3.SAC,
    "td3": stable_baselines3.TD3,
    "tqc": sb3_contrib.TQC,
    "crossq": sb3_contrib.CrossQ,
}


def trained(algorithm: str, observation: Any, action: Any, *, normalized: bool) -> PolicyParameters:
    """Return a policy after a few updates."""
    kind, hyperparameters = ALGORITHMS[algorithm]
    task = TrainingTask(
        algorithm=algorithm,
        entry=ENTRY,
        make_env=lambda _: Noise(observation, action),
        seed=3,
        total_steps=STEPS,
        hyperparameters=hyperparameters,
        normalize_observations=normalized,
    )
    model, _ = build(kind, task, ("box", "discrete"))
    model.learn(STEPS)
    return extract(model, task, "sb3")


@pytest.mark.parametrize("normalized", [False, True], ids=["raw", "normalized"])
@pytest.mark.parametrize("observation", [OBSERVATIONS["vector"], PARTS], ids=["vector", "parts"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_library_loads_it_and_predicts_the_same(
    algorithm: str, observation: Any, normalized: bool, tmp_path: Path
) -> None:
    policy = trained(algorithm, observation, ACTIONS["box"], normalized=normalized)
    write_policy(tmp_path, policy)
    if algorithm == "crossq" and observation is PARTS:
        with pytest.raises(UsageError, match="`crossq` takes no parts"):
            export.run({"policy": str(tmp_path)}, None)
        return
    answer = export.run({"policy": str(tmp_path)}, None)
    assert answer["name"] == f"policy_{algorithm}.zip"
    (tmp_path / answer["name"]).write_bytes(answer["content"].tobytes())
    loaded = LIBRARY[algorithm].load(tmp_path / answer["name"], device="cpu")
    ours = NetworkPolicy(policy)
    for _ in range(20):
        seen = observation.sample()
        theirs, _state = loaded.predict(seen, deterministic=True)
        np.testing.assert_allclose(theirs, ours.act(seen), rtol=0, atol=1e-3)


def test_a_policy_that_saw_little_of_its_space_is_compared_where_it_was(tmp_path: Path) -> None:
    boxes = spaces.Dict({name: part for name, part in PARTS.spaces.items() if name != "button"})
    policy = trained("sac", boxes, ACTIONS["box"], normalized=True)
    policy.weights["observation.mean"][:] = 1.3
    policy.weights["observation.var"][:] = 1e-4  # as of a gripper that moves some centimetres
    write_policy(tmp_path, policy)
    assert export.run({"policy": str(tmp_path)}, None)["difference"] < export.TOLERANCE


def test_the_same_policy_gives_the_same_file(tmp_path: Path) -> None:
    write_policy(tmp_path, trained("ppo", OBSERVATIONS["vector"], ACTIONS["box"], normalized=False))
    first = export.run({"policy": str(tmp_path)}, None)["content"].tobytes()
    assert export.run({"policy": str(tmp_path)}, None)["content"].tobytes() == first


@pytest.mark.parametrize("observation", [OBSERVATIONS["vector"], PARTS], ids=["vector", "parts"])
def test_the_inspector_reads_its_spaces_without_a_pickle(observation: Any, tmp_path: Path) -> None:
    write_policy(tmp_path, trained("ppo", observation, ACTIONS["box"], normalized=False))
    answer = export.run({"policy": str(tmp_path)}, None)
    (tmp_path / answer["name"]).write_bytes(answer["content"].tobytes())
    facts = Sb3PolicyInspector().inspect(str(tmp_path / answer["name"]))
    assert [each.shape for each in facts.action.values()] == [ACTIONS["box"].shape]
    assert len(facts.observation) == (len(PARTS) if observation is PARTS else 1)
    assert facts.algorithm == "ppo"
    assert b" at 0x" not in zipfile.ZipFile(tmp_path / answer["name"]).read("data")


def test_what_the_library_has_not_is_refused(tmp_path: Path) -> None:
    policy = trained("ppo", OBSERVATIONS["vector"], ACTIONS["discrete"], normalized=False)
    write_policy(tmp_path, policy)
    with pytest.raises(UsageError, match="its discrete spaces begin at 0"):
        export.run({"policy": str(tmp_path)}, None)
