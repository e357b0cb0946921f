"""What this distribution offers: the policy backend `bc` and the command that trains it; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec, PolicySpec
from rpent_torch.environments import TORCH

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer the backend."""
    yield PolicySpec(
        name="bc",
        summary="Small behaviour-cloning policies that `rpent policy train-bc` trained from recorded runs.",
        policy="rpent_policy_bc.server.policy:load",
        config="rpent_policy_bc.config:BcConfig",
        signature="rpent_policy_bc.config:signature",
        environments=(TORCH,),
        ready_timeout_s=300.0,
    )


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent policy train-bc`."""
    yield CommandSpec(
        name="policy.train-bc",
        summary="Train a small policy from recorded runs, in minutes on a CPU.",
        command="rpent_policy_bc.cli.train_bc:command",
    )
