"""A loaded LeRobot policy: requests in, chunks of actions in the checkpoint's units out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from rpent.policies.api import Policy, PolicyRequest, Signature
from rpent_torch import device as torch_device
from rpent_torch import memory

from rpent_policy_lerobot.server import sdk
from rpent_policy_lerobot.server.unknown import Unknown
from rpent_policy_lerobot.server.ways import FLOW_MATCHING, Diffusion, Direct, FlowMatching

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rpent_policy_lerobot.server.ways import Way


class LerobotPolicy(Policy):
    """A policy with its pipelines. How the model is asked depends on its family (`ways.py`)."""

    def __init__(
        self,
        model: Any,
        pre: Callable[[dict[str, Any]], dict[str, Any]],
        post: Callable[[Any], Any],
        *,
        signature: Signature,
        device: str,
        history: Literal["asked", "repeat"] = "asked",
    ) -> None:
        self.signature, self.device = signature, device
        self._pre, self._post = pre, post
        self._amp = bool(model.config.use_amp)
        self._way = _way_for(model, history)

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Return one (T, A) chunk for each request; together where the family can, else one after the other."""
        apart = len({request.episode for request in requests}) == len(requests)
        if self._way.together and apart:
            return self._answer(requests)
        return [chunk for request in requests for chunk in self._answer([request])]

    def reset(self, episode: str) -> None:
        """Forget an episode."""
        self._way.reset(episode)

    def facts(self) -> Mapping[str, Any]:
        """Return memory, threads, and the versions that matter."""
        return {
            **memory.facts(self.device),
            **torch_device.facts(self.device),
            "lerobot": sdk.lerobot_version(),
            "batches": self._way.together,
            "episodes_remembered": self._way.episodes,
        }

    def _answer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.floating[Any]]]:
        with torch.no_grad(), torch.autocast(torch.device(self.device).type, enabled=self._amp):
            batch = self._pre(_batch(requests))
            chunks = self._post(self._way.predict(batch, requests))
        return list(chunks.float().cpu().numpy())


def _batch(requests: Sequence[PolicyRequest]) -> dict[str, Any]:
    """Return (B, 3, H, W) pictures in 0..1, (B, S) vectors and B instructions, as LeRobot's pipelines take them."""
    batch: dict[str, Any] = {"task": [request.instruction for request in requests]}
    for name in requests[0].images:
        pictures = np.stack([request.images[name] for request in requests])
        batch[name] = torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div_(255.0).contiguous()
    for name in requests[0].state:
        batch[name] = torch.from_numpy(np.stack([request.state[name] for request in requests])).float()
    return batch


def _way_for(model: Any, history: Literal["asked", "repeat"]) -> Way:
    family = model.config.type
    if family == "act":
        return Direct(model)
    if family in FLOW_MATCHING:
        return FlowMatching(model)
    if family == "diffusion":
        return Diffusion(model, history)
    return Unknown(model)
