"""The contract, for every algorithm of sb3-contrib that is offered; run where torch is."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch  # noqa: TID253  (run inside)
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.measures import Success
from rpent_robosmith.testing.trainer_contract import TrainerContract
from rpent_robosmith.worker.trainers.contrib import ContribTrainer

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


class _Contrib(TrainerContract):
    env_id = "Pendulum-v1"
    adapter = "gymnasium"
    total_steps, segment_steps = 256, 64

    @pytest.fixture
    def make_trainer(self):
        return ContribTrainer

    @pytest.fixture
    def entry(self):
        return entry_of(self.env_id, self.adapter)


class TestTqc(_Contrib):
    algorithm = "tqc"
    hyperparameters: ClassVar = {**SMALL, "n_quantiles": 5}


class TestCrossQ(_Contrib):
    algorithm = "crossq"
    hyperparameters: ClassVar = {**SMALL, "critic_net_arch": [32, 32]}
