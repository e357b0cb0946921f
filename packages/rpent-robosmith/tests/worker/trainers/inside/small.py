"""What the trainers' contracts share: a small budget and an environment that is only made and stepped."""

from __future__ import annotations

import pytest
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.measures import Success
from rpent_robosmith.testing.trainer_contract import TrainerContract

SMALL = {
    "learning_starts": 30,
    "batch_size": 16,
    "net_arch": [16, 16],
    "buffer_size": 1_000,
    "train_freq": 4,
    "gradient_steps": 1,
}
"""Hyperparameters of off-policy algorithms."""


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


class SmallContract(TrainerContract):
    """The contract in a few hundred steps."""

    env_id = "Pendulum-v1"
    adapter = "gymnasium"
    total_steps, segment_steps = 256, 64

    @pytest.fixture
    def entry(self):
        return entry_of(self.env_id, self.adapter)
