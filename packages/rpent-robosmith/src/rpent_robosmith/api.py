"""What authors of RoboSmith plugins import; each name is loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpent_robosmith.agents.api import (
        AgentContext,
        DecisionAgent,
        DecisionRequest,
        Proposal,
        RewardAgent,
        RewardRequest,
    )
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts, SpaceFacts
    from rpent_robosmith.inspect.api import Inspector
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.specs import (
        AlgorithmSpec,
        DecisionAgentSpec,
        EnvAdapterSpec,
        EnvCatalogSpec,
        InspectorSpec,
        Needs,
        RewardAgentSpec,
        TrainerSpec,
    )
    from rpent_robosmith.worker.api import EnvAdapter, Trainer, TrainingCallbacks, TrainingTask

_HOMES = {
    "rpent_robosmith.agents.api": (
        "AgentContext",
        "DecisionAgent",
        "DecisionRequest",
        "Proposal",
        "RewardAgent",
        "RewardRequest",
    ),
    "rpent_robosmith.catalog.entry": ("EnvEntry",),
    "rpent_robosmith.facts": ("EnvFacts", "SpaceFacts"),
    "rpent_robosmith.inspect.api": ("Inspector",),
    "rpent_robosmith.policy.format": ("PolicyParameters",),
    "rpent_robosmith.specs": (
        "AlgorithmSpec",
        "DecisionAgentSpec",
        "EnvAdapterSpec",
        "EnvCatalogSpec",
        "InspectorSpec",
        "Needs",
        "RewardAgentSpec",
        "TrainerSpec",
    ),
    "rpent_robosmith.worker.api": ("EnvAdapter", "Trainer", "TrainingCallbacks", "TrainingTask"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [
    "AgentContext",
    "AlgorithmSpec",
    "DecisionAgent",
    "DecisionAgentSpec",
    "DecisionRequest",
    "EnvAdapter",
    "EnvAdapterSpec",
    "EnvCatalogSpec",
    "EnvEntry",
    "EnvFacts",
    "Inspector",
    "InspectorSpec",
    "Needs",
    "PolicyParameters",
    "Proposal",
    "RewardAgent",
    "RewardAgentSpec",
    "RewardRequest",
    "SpaceFacts",
    "Trainer",
    "TrainerSpec",
    "TrainingCallbacks",
    "TrainingTask",
]


def __getattr__(name: str) -> Any:
    """Load a name from its home (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(_HOME_OF)
