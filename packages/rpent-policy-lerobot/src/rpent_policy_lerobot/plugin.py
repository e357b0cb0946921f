"""What this distribution offers: the policy backend `lerobot`; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PolicySpec
from rpent_torch.hugging_face import OFFLINE

from rpent_policy_lerobot.environment import LEROBOT, LEROBOT_06

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer the backend."""
    yield PolicySpec(
        name="lerobot",
        summary="LeRobot checkpoints: ACT, diffusion, SmolVLA, Pi0, Pi0.5 and third-party policies.",
        policy="rpent_policy_lerobot.server.load:load",
        config="rpent_policy_lerobot.config:LerobotConfig",
        signature="rpent_policy_lerobot.signature:signature",
        environments=(LEROBOT, LEROBOT_06),
        env=OFFLINE,
    )
