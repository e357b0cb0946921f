"""The options of the backend `bc`, and its checkpoint's signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.home import expanded
from rpent.policies.api import PolicyConfig
from rpent_torch import weights

from rpent_policy_bc.checkpoint import WEIGHTS, read, signature_of

if TYPE_CHECKING:
    from rpent.policies.signature import Signature


class BcConfig(PolicyConfig):
    """A policy that `rpent policy train-bc` trained."""


def signature(config: BcConfig) -> Signature:
    """Return what a checkpoint takes and gives, read without torch.

    Raises:
        PolicyError: The folder is no checkpoint of this backend, or its weights are not there.
    """
    found = signature_of(read(config.checkpoint))
    weights.shapes(expanded(config.checkpoint) / WEIGHTS)
    return found
