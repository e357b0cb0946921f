"""A policy of which only LeRobot's interface is known: one request at a time, each episode with a memory of its own."""

from __future__ import annotations

import copy
from collections import deque
from typing import TYPE_CHECKING, Any

import torch

from rpent_policy_lerobot.server.ways import Way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.policies.api import PolicyRequest

_MEMORY = (deque, list, dict, torch.Tensor, int, float, bool, str, type(None))
_QUEUED = frozenset({"tdmpc", "vqbet"})
"""Their `predict_action_chunk` reads queues that only `select_action` fills."""


class Unknown(Way):
    """Policies of other families, and third-party ones.

    Whatever plain attributes the policy keeps (queues, counters) are put in before a question and taken out after it.
    A policy without `predict_action_chunk`, or with several observation steps, gives one action at a time.
    """

    together = False

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._by_one = self.config.type in _QUEUED or (getattr(self.config, "n_obs_steps", 1) or 1) > 1
        self._memories: dict[str, dict[str, Any]] = {}
        self._own = set(vars(torch.nn.Module())) | {"config"}

    @property
    def episodes(self) -> int:
        """How many episodes it remembers something of."""
        return len(self._memories)

    def reset(self, episode: str) -> None:
        """Forget an episode."""
        self._memories.pop(episode, None)

    def predict(self, batch: dict[str, Any], requests: Sequence[PolicyRequest]) -> Any:
        """Ask for one request."""
        (request,) = requests
        remembered = self._memories.get(request.episode) if request.step else None
        if remembered is None:
            self.model.reset()
        else:
            vars(self.model).update(copy.deepcopy(remembered))
        torch.manual_seed(request.seed % 2**63)
        answer = self._ask(batch)
        self._memories[request.episode] = copy.deepcopy(self._memory())
        return answer

    def _ask(self, batch: dict[str, Any]) -> Any:
        if not self._by_one:
            try:
                return self.model.predict_action_chunk(batch)
            except NotImplementedError:
                self._by_one = True
        return self.model.select_action(batch).unsqueeze(1)

    def _memory(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in vars(self.model).items()
            if name not in self._own and isinstance(value, _MEMORY)
        }
