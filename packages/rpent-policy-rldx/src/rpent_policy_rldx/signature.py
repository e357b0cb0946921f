"""What an RLDX policy takes and gives: asked of the server, or read from the checkpoint's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_policy_rldx.address import parse_address
from rpent_policy_rldx.checkpoint import read_checkpoint
from rpent_policy_rldx.config import lengths
from rpent_policy_rldx.modality import to_signature

if TYPE_CHECKING:
    from rpent.policies.signature import Signature

    from rpent_policy_rldx.config import RldxConfig


def signature(config: RldxConfig) -> Signature:
    """Ask the server for a moment, or read the folder; no weight is loaded.

    Raises:
        PolicyError: No such server answers, or the folder is no checkpoint.
    """
    state, action = lengths(config.state), lengths(config.action)
    address = parse_address(config.checkpoint)
    if address is None:
        modalities, in_state, in_action = read_checkpoint(config.checkpoint, config.embodiment_tag)
        state, action = {**in_state, **state}, {**in_action, **action}
        details = {"embodiment": config.embodiment_tag}
    else:
        from rpent_policy_rldx.client import RldxClient  # noqa: PLC0415  (ZeroMQ, for who asks)

        client = RldxClient.of(address, config)
        try:
            modalities = client.modalities(timeout_s=config.connect_timeout_s)
        finally:
            client.close()
        details = {"server": str(address)}
    return to_signature(
        modalities, state=state, action=action, execute_steps=config.execute_steps, details=details
    )
