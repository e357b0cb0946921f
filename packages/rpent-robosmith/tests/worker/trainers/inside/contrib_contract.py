"""The contract, for every algorithm of sb3-contrib that is offered; run where torch is."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch  # noqa: TID253  (run inside)
from rpent_robosmith.worker.trainers.contrib import ContribTrainer
from small import SMALL, SmallContract

torch.set_num_threads(1)


class _Contrib(SmallContract):
    @pytest.fixture
    def make_trainer(self):
        return ContribTrainer


class TestTqc(_Contrib):
    algorithm = "tqc"
    hyperparameters: ClassVar = {**SMALL, "n_quantiles": 5}


class TestCrossQ(_Contrib):
    algorithm = "crossq"
    hyperparameters: ClassVar = {**SMALL, "critic_net_arch": [32, 32]}
