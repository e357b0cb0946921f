"""The contract for behaviour cloning, and what it learns from an expert; run where torch is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import h5py
import numpy as np
import pytest
import torch  # noqa: TID253  (run inside)
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.measures import Success
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.testing.trainer_contract import Train, TrainerContract
from rpent_robosmith.worker.trainers.bc import BcTrainer

if TYPE_CHECKING:
    from numpy.typing import NDArray

torch.set_num_threads(1)


def entry_of(env_id: str) -> EnvEntry:
    """Return an entry that is only made and stepped."""
    return EnvEntry(
        id="here",
        name="Here",
        adapter="gymnasium",
        env_id=env_id,
        robot="none",
        tags=(),
        description="",
        success=Success(measure="return", at_least=0.0),
        progress="return",
    )


def expert(observations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return torques: a smooth function of the pendulum's cos, sin and speed, within its bounds."""
    return np.tanh(observations @ np.array([[0.5], [-1.5], [-0.4]])) * 2


def write(path: Path, *, discrete: bool) -> str:
    """Write demonstrations in robomimic's layout."""
    random = np.random.default_rng(0)
    with h5py.File(path, "w") as file:
        for index in range(8):
            group = file.create_group(f"data/demo_{index}")
            width = 4 if discrete else 3
            seen = random.uniform(-1, 1, (60, width))
            acts = (seen[:, 2:3] > 0).astype(np.int64) if discrete else expert(seen)
            group.create_dataset("obs/state", data=seen)
            group.create_dataset("actions", data=acts)
            group.attrs["num_samples"] = len(seen)
    return str(path)


class _Bc(TrainerContract):
    algorithm = "bc"
    total_steps, segment_steps = 160, 40
    steps_environments = False
    env_id = "Pendulum-v1"
    discrete = False

    @pytest.fixture(autouse=True)
    def _dataset(self, tmp_path: Path) -> None:
        type(self).dataset = write(tmp_path / "demonstrations.hdf5", discrete=self.discrete)

    @pytest.fixture
    def make_trainer(self):
        return BcTrainer

    @pytest.fixture
    def entry(self):
        return entry_of(self.env_id)


class TestBc(_Bc):
    hyperparameters: ClassVar = {"net_arch": [32, 32], "learning_rate_schedule": "linear"}

    def test_it_comes_near_the_expert(self, train: Train) -> None:
        policy = NetworkPolicy(
            train(hyperparameters={"net_arch": [64, 64], "learning_rate": 5e-3}).policies[-1]
        )
        seen = np.random.default_rng(1).uniform(-1, 1, (200, 3))
        errors = [abs(policy.act(row)[0] - expert(row)[0]) for row in seen]
        assert np.mean(errors) < 0.1


class TestBcOfChunks(_Bc):
    hyperparameters: ClassVar = {"net_arch": [32], "chunk_length": 4}


class TestBcOfChoices(_Bc):
    env_id = "CartPole-v1"
    discrete = True
    hyperparameters: ClassVar = {"net_arch": [32, 32], "activation": "tanh"}

    def test_it_chooses_as_the_expert(self, train: Train) -> None:
        policy = NetworkPolicy(
            train(hyperparameters={"net_arch": [64, 64], "learning_rate": 5e-3}).policies[-1]
        )
        seen = np.random.default_rng(1).uniform(-1, 1, (200, 4))
        assert np.mean([policy.act(row) == int(row[2] > 0) for row in seen]) > 0.9
