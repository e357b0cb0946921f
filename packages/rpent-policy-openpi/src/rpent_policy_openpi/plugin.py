"""What this distribution offers: the backend `openpi` and `rpent policy serve-openpi`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec, PolicySpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer the policies of openpi servers."""
    yield PolicySpec(
        name="openpi",
        summary="A running openpi server: pi0, pi0-FAST and pi0.5 as Physical Intelligence serves them.",
        policy="rpent_policy_openpi.policy:load",
        config="rpent_policy_openpi.config:OpenpiConfig",
        signature="rpent_policy_openpi.signature:signature",
    )


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent policy serve-openpi`."""
    yield CommandSpec(
        name="policy.serve-openpi",
        summary="Let openpi's clients use a policy server.",
        command="rpent_policy_openpi.cli.serve_openpi:command",
    )
