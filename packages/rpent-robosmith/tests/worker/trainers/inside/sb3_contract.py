"""The contract, for every algorithm of Stable-Baselines3 that is offered; run where torch is."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch  # noqa: TID253  (run inside)
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.measures import Success
from rpent_robosmith.testing.trainer_contract import TrainerContract
from rpent_robosmith.worker.trainers.sb3 import Sb3Trainer

torch.set_num_threads(1)
SMALL = {
    "learning_starts": 30,
    "batch_size": 16,
    "net_arch": [16, 16],
    "buffer_size": 1_000,
    "train_freq": 4,
    "gradient_steps": 1,
}


def entry_of(env_id: str, adapter: str = "gymnasium") -> EnvEntry:
    """Return an entry that is only made and stepped."""
    return EnvEntry(
        id="here",
        name="Here",
        adapter=adapter,
        env_id=env_id,
        robot="none",
        tags=(),
        description="",
        success=Success(measure="return", at_least=0.0),
        progress="return",
    )


class _Sb3(TrainerContract):
    env_id = "Pendulum-v1"
    adapter = "gymnasium"
    total_steps, segment_steps = 256, 64

    @pytest.fixture
    def make_trainer(self):
        return Sb3Trainer

    @pytest.fixture
    def entry(self):
        return entry_of(self.env_id, self.adapter)


class TestPpo(_Sb3):
    algorithm = "ppo"
    env_id = "CartPole-v1"
    n_envs = 2
    hyperparameters: ClassVar = {"n_steps": 32, "batch_size": 32, "learning_rate_schedule": "linear"}


class TestPpoNormalized(_Sb3):
    algorithm = "ppo"
    normalize_observations = normalize_rewards = True
    hyperparameters: ClassVar = {"n_steps": 64, "batch_size": 32, "n_epochs": 2}


class TestPpoOneHot(_Sb3):
    algorithm = "ppo"
    env_id = "FrozenLake-v1"
    hyperparameters: ClassVar = {"n_steps": 32, "batch_size": 32}


class TestSac(_Sb3):
    algorithm = "sac"
    hyperparameters: ClassVar = SMALL


class TestSacWithASmallBuffer(_Sb3):
    """The buffer goes round: what is saved are the newest rows."""

    algorithm = "sac"
    n_envs = 2
    normalize_observations = True
    hyperparameters: ClassVar = {**SMALL, "buffer_size": 150, "gradient_steps": -1}


class TestSacWithSeveralSteps(_Sb3):
    algorithm = "sac"
    hyperparameters: ClassVar = {**SMALL, "n_steps": 3, "ent_coef": "auto_0.1"}


class TestSacOfParts(_Sb3):
    """A Dict observation."""

    algorithm = "sac"
    env_id, adapter = "FetchReach-v4", "gymnasium-robotics"
    hyperparameters: ClassVar = SMALL


class TestTd3(_Sb3):
    algorithm = "td3"
    hyperparameters: ClassVar = {**SMALL, "action_noise": 0.1, "policy_delay": 3}
