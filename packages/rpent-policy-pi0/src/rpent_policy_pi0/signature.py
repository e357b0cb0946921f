"""What a PI0 checkpoint takes and gives, without torch."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from rpent.policies.api import CameraInput, Signature

from rpent_policy_pi0.checkpoint import ACTION_KEY, STATE_KEY, Checkpoint, read

if TYPE_CHECKING:
    from rpent_policy_pi0.config import Pi0Config


def signature(config: Pi0Config) -> Signature:
    """Return the signature of the checkpoint in a folder.

    Raises:
        PolicyError: It is no PI0 checkpoint, or something is missing.
    """
    return describe(read(config), config)


def describe(checkpoint: Checkpoint, config: Pi0Config) -> Signature:
    """Return the signature of a checkpoint that was read."""
    said = checkpoint.config
    return Signature(
        family="pi0",
        cameras={name: CameraInput() for name in checkpoint.cameras},  # its processor resizes and pads
        state={STATE_KEY: checkpoint.state_dim},
        action={ACTION_KEY: checkpoint.action_dim},
        chunk_length=checkpoint.chunk_length,
        execute_steps=config.execute_steps or said.get("n_action_steps"),
        parameters=sum(prod(info.shape) for info in checkpoint.tensors.values()),
        details={
            "saved_by": checkpoint.kind,
            "padded_state": int(said.get("max_state_dim", 32)),
            "padded_action": int(said.get("max_action_dim", 32)),
            "denoising_steps": config.denoising_steps or int(said.get("num_inference_steps", 10)),
            "dtypes": ", ".join(sorted({info.dtype for info in checkpoint.tensors.values()})),
        },
    )
