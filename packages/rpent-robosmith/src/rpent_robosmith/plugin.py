"""What this distribution offers: RoboSmith's hooks, its commands, and what comes with it; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec, HookspecSet, KindSpec, PolicySpec

from rpent_robosmith import offers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith import specs

PLUGIN_API = 1

_KINDS = {
    "trainers": "TrainerSpec",
    "env_adapters": "EnvAdapterSpec",
    "env_catalogs": "EnvCatalogSpec",
    "inspectors": "InspectorSpec",
    "reward_agents": "RewardAgentSpec",
    "decision_agents": "DecisionAgentSpec",
}
_COMMANDS = {
    "run": "Train a policy from a sentence.",
    "resume": "Go on with an interrupted or failed run.",
    "runs": "List, show, compare and remove runs.",
    "envs": "List the environments, or find those that fit a sentence.",
    "trainers": "List the trainers and their algorithms.",
    "inspect": "Say what a policy, a dataset or an environment takes, gives and holds.",
    "integrate": "Make a policy fit a dataset or an environment: check, generate, validate.",
    "collect": "Record a dataset: run a policy, and write what it saw and did.",
    "diag": "Analyse recorded episodes, or compare two sets of them.",
    "config": "Show the effective configuration, and where each value comes from.",
}


@hookimpl
def rpent_add_hookspecs() -> Iterator[HookspecSet]:
    """Add RoboSmith's own kinds of plugins."""
    yield HookspecSet(
        hookspecs="rpent_robosmith.hookspecs:SmithHooks",
        kinds=tuple(
            KindSpec(name=name, hook=f"rpent_{name}", spec=f"rpent_robosmith.specs:{spec}")
            for name, spec in _KINDS.items()
        ),
    )


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent smith …`."""
    for name, summary in _COMMANDS.items():
        yield CommandSpec(
            name=f"smith.{name}", summary=summary, command=f"rpent_robosmith.cli.{name}:command"
        )


@hookimpl
def rpent_policies() -> Iterator[PolicySpec]:
    """Offer delivered policies to the policy server."""
    yield PolicySpec(
        name="robosmith",
        summary="Policies that `rpent smith run` delivered; run by numpy, without torch.",
        policy="rpent_robosmith.policy.backend:load",
        config="rpent_robosmith.policy.config:SmithPolicyConfig",
        signature="rpent_robosmith.policy.config:signature",
    )


@hookimpl
def rpent_trainers() -> Iterator[specs.TrainerSpec]:
    """Offer the trainers."""
    yield from offers.TRAINERS


@hookimpl
def rpent_env_adapters() -> Iterator[specs.EnvAdapterSpec]:
    """Offer the env adapters."""
    yield from offers.ENV_ADAPTERS


@hookimpl
def rpent_env_catalogs() -> Iterator[specs.EnvCatalogSpec]:
    """Offer the catalogs."""
    yield from offers.ENV_CATALOGS


@hookimpl
def rpent_inspectors() -> Iterator[specs.InspectorSpec]:
    """Offer the inspectors."""
    yield from offers.INSPECTORS


@hookimpl
def rpent_reward_agents() -> Iterator[specs.RewardAgentSpec]:
    """Offer those who write rewards."""
    yield from offers.REWARD_AGENTS


@hookimpl
def rpent_decision_agents() -> Iterator[specs.DecisionAgentSpec]:
    """Offer those who decide."""
    yield from offers.DECISION_AGENTS
