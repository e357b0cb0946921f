"""A loaded PI0: pictures, state and words in, a chunk of actions out, in the robot's units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import transformers
from PIL import Image
from rpent.policies.api import Policy
from rpent_torch import device as devices
from rpent_torch import memory, noise

from rpent_policy_pi0.checkpoint import STATE_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from rpent.policies.api import PolicyRequest, Signature

_EPSILON = 1e-8
"""PI0Processor adds it to the standard deviation when it normalises."""


class Pi0Policy(Policy):
    """It has no memory: an answer depends on its request alone."""

    def __init__(
        self,
        *,
        model: Any,
        processor: Any,
        signature: Signature,
        device: str,
        denoising_steps: int | None,
        instruction_tokens: int,
    ) -> None:
        self.signature = signature
        self.device = device
        self._model = model
        self._processor = processor
        self._steps = denoising_steps
        self._instruction_tokens = instruction_tokens
        self._mean = torch.tensor(processor.actions_mean, dtype=torch.float32)
        self._std = torch.tensor(processor.actions_std, dtype=torch.float32) + _EPSILON

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Return one (T, D) chunk for each request; one pass for all of them."""
        inputs = self._inputs(requests)
        settings = self._model.config
        start = noise.normal(
            [noise.generator(request.seed) for request in requests],
            (settings.chunk_size, settings.max_action_dim),
            device=self.device,
            dtype=self._model.dtype,
        )
        with torch.inference_mode():
            found = self._model.sample_actions(**inputs, noise=start, num_steps=self._steps)
        chunk = found[..., : len(self._mean)].float().cpu() * self._std + self._mean
        return list(chunk.numpy())

    def _inputs(self, requests: Sequence[PolicyRequest]) -> dict[str, torch.Tensor]:
        """Return the model's tensors, padded to the same length whatever the words, so that a batch equals singles."""
        cameras = tuple(self.signature.cameras)
        length = self._processor.image_seq_length * len(cameras) + self._instruction_tokens
        batch = self._processor(
            images=[[Image.fromarray(request.images[name]) for name in cameras] for request in requests],
            text=[self._words(request.instruction) for request in requests],
            state=torch.stack([torch.from_numpy(request.state[STATE_KEY]) for request in requests]),
            padding="max_length",
            truncation=True,
            max_length=length,
            return_tensors="pt",
        )
        dtype = self._model.dtype
        return {
            key: value.to(device=self.device, dtype=dtype if value.is_floating_point() else None)
            for key, value in batch.items()
        }

    def _words(self, instruction: str) -> str:
        """Return what the model reads of an instruction: one line, and room for the tokens that frame it."""
        text = " ".join(instruction.replace(self._processor.image_token, " ").split())
        tokenizer = self._processor.tokenizer
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        room = self._instruction_tokens - 3
        return text if len(tokens) <= room else str(tokenizer.decode(tokens[:room]))

    def facts(self) -> Mapping[str, Any]:
        """Return memory, threads, versions and the type of the weights."""
        return {
            **devices.facts(self.device),
            **memory.facts(self.device),
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        }

    def close(self) -> None:
        """Let go of the weights."""
        self._model = None
