"""The policy: a linear map of the state, plus how often it was asked since it was reset."""

from __future__ import annotations

from collections import deque

import torch  # noqa: TID253  (it runs where it is)
from lerobot.policies.pretrained import PreTrainedPolicy
from torch import nn  # noqa: TID253

from .configuration_counter import CounterConfig


class CounterPolicy(PreTrainedPolicy):
    config_class = CounterConfig
    name = "counter"

    def __init__(self, config: CounterConfig, **_):
        super().__init__(config)
        self.map = nn.Linear(config.robot_state_feature.shape[0], config.action_feature.shape[0])
        self.reset()

    def reset(self):
        self.asked = 0
        self.queue = deque()

    def get_optim_params(self):
        return self.parameters()

    def forward(self, batch):
        raise NotImplementedError

    def predict_action_chunk(self, batch, **_):
        if not self.config.chunks:
            raise NotImplementedError
        return self._chunk(batch)

    def select_action(self, batch, **_):
        if not self.queue:
            self.queue.extend(self._chunk(batch).unbind(1)[: self.config.n_action_steps])
        return self.queue.popleft()

    def _chunk(self, batch):
        first = self.map(batch["observation.state"]) + self.asked
        self.asked += 1
        return torch.stack([first + step / 10 for step in range(self.config.chunk_size)], dim=1)
