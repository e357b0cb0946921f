"""How the families are asked for a chunk: what they remember, and whether they answer several requests together.

Each way's `predict` takes the output of the pipeline before the model and gives (B, T, A), normalised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

import torch
from rpent_torch.noise import generator, normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.policies.api import PolicyRequest

FLOW_MATCHING = frozenset({"smolvla", "pi0", "pi05"})
"""Families that turn noise of (chunk, action padded) into actions, and remember nothing."""


class Way(ABC):
    """How one family is asked."""

    together = True
    """Whether a batch of requests gives what they give one by one."""

    def __init__(self, model: Any) -> None:
        self.model, self.config = model, model.config

    @property
    def episodes(self) -> int:
        """How many episodes it remembers something of."""
        return 0

    def reset(self, episode: str) -> None:  # noqa: B027 (most remember nothing)
        """Forget an episode."""

    @abstractmethod
    def predict(self, batch: dict[str, Any], requests: Sequence[PolicyRequest]) -> Any:
        """Return the chunks, (B, T, A)."""

    def noise(self, requests: Sequence[PolicyRequest], shape: tuple[int, ...]) -> Any:
        """Return (B, *shape) numbers that depend on each request's own seed only."""
        return normal([generator(request.seed) for request in requests], shape, device=self.config.device)


class Direct(Way):
    """ACT: the same observation always gives the same chunk."""

    def predict(self, batch: dict[str, Any], requests: Sequence[PolicyRequest]) -> Any:  # noqa: ARG002
        """Ask once."""
        return self.model.predict_action_chunk(batch)


class FlowMatching(Way):
    """SmolVLA, Pi0, Pi0.5: noise becomes a chunk."""

    def predict(self, batch: dict[str, Any], requests: Sequence[PolicyRequest]) -> Any:
        """Ask once, with the requests' own noise."""
        shape = (self.config.chunk_size, self.config.max_action_dim)
        return self.model.predict_action_chunk(batch, noise=self.noise(requests, shape))


class Diffusion(Way):
    """Diffusion: sees the last observations of its episode, which are kept here."""

    def __init__(self, model: Any, history: Literal["asked", "repeat"]) -> None:
        super().__init__(model)
        self.together = (
            self.config.noise_scheduler_type == "DDIM"
        )  # DDPM draws noise in every step, for the batch
        self._repeat = history == "repeat"
        self._past: dict[str, list[dict[str, Any]]] = {}

    @property
    def episodes(self) -> int:
        """How many episodes it remembers something of."""
        return len(self._past)

    def reset(self, episode: str) -> None:
        """Forget an episode."""
        self._past.pop(episode, None)

    def predict(self, batch: dict[str, Any], requests: Sequence[PolicyRequest]) -> Any:
        """Ask once, with each episode's own past and noise."""
        present = self._observation(batch)
        seen = [self._seen(request, row, present) for row, request in enumerate(requests)]
        stacked = {
            name: torch.stack([torch.stack([step[name] for step in steps]) for steps in seen])
            for name in present
        }
        shape = (self.config.horizon, self.config.action_feature.shape[0])
        torch.manual_seed(requests[0].seed % 2**63)
        chunks = self.model.diffusion.generate_actions(stacked, noise=self.noise(requests, shape))
        if not self._repeat:  # only now: a request that failed may be asked again
            self._past.update({request.episode: steps for request, steps in zip(requests, seen, strict=True)})
        return chunks

    def _observation(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return what the model takes of one moment; the pictures as (B, cameras, 3, H, W)."""
        found = {"observation.state": batch["observation.state"]}
        if self.config.image_features:
            pictures = [batch[name] for name in self.config.image_features]
            found["observation.images"] = torch.stack(pictures, dim=-4)
        if self.config.env_state_feature:
            found["observation.environment_state"] = batch["observation.environment_state"]
        return found

    def _seen(self, request: PolicyRequest, row: int, present: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the episode's last observations, the oldest first; the first one stands for those before it."""
        now = {name: value[row] for name, value in present.items()}
        past = self._past.get(request.episode, []) if request.step else []
        steps = [*past, now]
        missing = self.config.n_obs_steps - len(steps)
        return [*[steps[0]] * missing, *steps][-self.config.n_obs_steps :]
