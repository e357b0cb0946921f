"""The contract, for every algorithm of Stable-Baselines3 that is offered; run where torch is."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch  # noqa: TID253  (run inside)
from rpent_robosmith.worker.trainers.sb3 import Sb3Trainer
from small import SMALL, SmallContract

torch.set_num_threads(1)


class _Sb3(SmallContract):
    @pytest.fixture
    def make_trainer(self):
        return Sb3Trainer


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
