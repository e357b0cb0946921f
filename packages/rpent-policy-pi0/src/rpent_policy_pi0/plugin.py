"""What this distribution offers: the policy backend `pi0`; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PolicySpec
from rpent_torch.environments import TRANSFORMERS
from rpent_torch.hugging_face import OFFLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer the PI0 of transformers."""
    yield PolicySpec(
        name="pi0",
        summary="The PI0 of transformers, without LeRobot, from a local folder.",
        policy="rpent_policy_pi0.server.load:load",
        config="rpent_policy_pi0.config:Pi0Config",
        signature="rpent_policy_pi0.signature:signature",
        environments=(TRANSFORMERS,),
        env=OFFLINE,
    )
