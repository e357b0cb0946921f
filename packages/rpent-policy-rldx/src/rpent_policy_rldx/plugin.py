"""What this distribution offers: the backend `rldx`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PolicySpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer the policies of RLDX-1 servers."""
    yield PolicySpec(
        name="rldx",
        summary="RLDX-1 and GR00T-style ZeroMQ servers: a running one, or one that is started for a checkpoint.",
        policy="rpent_policy_rldx.policy:load",
        config="rpent_policy_rldx.config:RldxConfig",
        signature="rpent_policy_rldx.signature:signature",
        ready_timeout_s=1200.0,
    )
