"""The contract for ACT through LeRobot, and that its policy is a checkpoint of LeRobot's; run where LeRobot is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest
import torch  # noqa: TID253  (this file runs where torch is)
from rpent.errors import PolicyError, UsageError
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.datasets.api import Episode, VectorColumn
from rpent_robosmith.datasets.writing.api import Header
from rpent_robosmith.datasets.writing.lerobot import LerobotWriter
from rpent_robosmith.measures import Success
from rpent_robosmith.policy.files import policy_files, read_policy, write_policy
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.testing.trainer_contract import Train, TrainerContract
from rpent_robosmith.worker.policies import policy_function
from rpent_robosmith.worker.trainers.act import ActTrainer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

torch.set_num_threads(1)
SMALL = {"dim_model": 16, "n_heads": 2, "dim_feedforward": 32, "n_encoder_layers": 1, "batch_size": 32}


def expert(observations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return torques: a smooth function of the pendulum's cos, sin and speed, within its bounds."""
    return np.tanh(observations @ np.array([[0.5], [-1.5], [-0.4]])) * 2


def write(path: Path) -> str:
    """Write demonstrations as LeRobot v3.0: slow turns, so that what follows can be told from what is seen."""
    random = np.random.default_rng(0)
    header = Header(
        fps=20.0,
        action=VectorColumn(shape=(1,), dtype="float32"),
        state={"observation.state": VectorColumn(shape=(3,), dtype="float32")},
        has_rewards=False,
        has_success=False,
    )
    with LerobotWriter(path, header) as writer:
        for index in range(8):
            angle = random.uniform(-3, 3) + random.uniform(-0.05, 0.05) * np.arange(60)
            seen = np.stack([np.cos(angle), np.sin(angle), np.gradient(angle) * 20], axis=1)
            rows = {"observation.state": seen.astype(np.float32)}
            writer.add(Episode(index=index, name=str(index), actions=expert(seen), state=rows))
    return str(path)


class TestAct(TrainerContract):
    algorithm = "act"
    total_steps, segment_steps = 60, 20
    steps_environments = False
    hyperparameters: ClassVar = {**SMALL, "chunk_length": 4, "execute_steps": 2}

    @pytest.fixture(autouse=True)
    def _dataset(self, tmp_path: Path) -> None:
        type(self).dataset = write(tmp_path / "demonstrations")

    @pytest.fixture
    def make_trainer(self):
        return ActTrainer

    @pytest.fixture
    def entry(self):
        return EnvEntry(
            id="here",
            name="Here",
            adapter="gymnasium",
            env_id="Pendulum-v1",
            robot="none",
            tags=(),
            description="",
            success=Success(measure="return", at_least=0.0),
            progress="return",
        )

    def test_what_is_delivered_is_a_checkpoint_of_lerobot(self, train: Train, tmp_path: Path) -> None:
        policy = train(segments=1).policies[-1]
        folder = tmp_path / "policy"
        write_policy(folder, policy)
        assert sorted(path.name for path in folder.iterdir()) == sorted(policy_files(folder))
        assert json.loads((folder / "config.json").read_text())["type"] == "act"
        from lerobot.policies.act.modeling_act import ACTPolicy

        theirs = ACTPolicy.from_pretrained(folder)
        assert theirs.config.chunk_size == 4
        observation = np.array([0.1, 0.9, 0.3], np.float32)
        first, second = (policy_function(each) for each in (policy, read_policy(folder)))
        first.reset(0)
        second.reset(0)
        for _ in range(5):
            np.testing.assert_array_equal(first.act(observation), second.act(observation))

    def test_it_is_not_run_by_numpy(self, train: Train) -> None:
        with pytest.raises(PolicyError, match="LeRobot checkpoint"):
            NetworkPolicy(train(segments=1).policies[-1])

    def test_it_comes_near_the_expert(self, train: Train) -> None:
        type(self).total_steps, type(self).segment_steps = 400, 400
        try:
            given = {"learning_rate": 3e-3, "chunk_length": 2, "execute_steps": 1, "kl_weight": 0.1}
            function = policy_function(train(hyperparameters=given).policies[-1])
        finally:
            type(self).total_steps, type(self).segment_steps = 60, 20
        angle = np.linspace(-3, 3, 40)
        seen = np.stack([np.cos(angle), np.sin(angle), np.zeros(40)], axis=1)
        errors = []
        for row in seen:
            function.reset(0)
            errors.append(abs(float(function.act(row)[0]) - float(expert(row)[0])))
        assert np.mean(errors) < 0.25

    def test_what_does_not_fit_is_refused(self, train: Train) -> None:
        with pytest.raises(UsageError, match="multiple of `n_heads`"):
            train(hyperparameters={"dim_model": 15})
        type(self).dataset = None
        with pytest.raises(UsageError, match="demonstrations"):
            train()
