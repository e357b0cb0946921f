"""What goes through RoboSmith's hooks: frozen descriptions with import strings, nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent.specs import EnvironmentSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """What must be importable, and how to get it."""

    modules: tuple[str, ...] = ()
    """Top-level modules, found without importing them: `("stable_baselines3", "torch")`."""
    packages: tuple[str, ...] = ()
    """The distributions that bring them, for people: `("stable-baselines3", "torch")`."""
    install: str = ""
    """The command that installs them: `pip install "rpent-robosmith[sb3]"`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AlgorithmSpec:
    """One algorithm of a trainer."""

    name: str
    """What the user types: `ppo`."""
    summary: str
    action_spaces: tuple[str, ...] = ("box",)
    """Kinds of `SpaceFacts` that it acts in: `box`, `discrete`."""
    paradigm: str = "rl"
    """`rl` learns from a reward in an environment, `imitation` from a dataset."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainerSpec:
    """A trainer. Entry-point group `rpent.trainers`."""

    name: str
    summary: str
    trainer: str
    """Import string of a `rpent_robosmith.api.Trainer` class; imported in the worker only."""
    algorithms: tuple[AlgorithmSpec, ...]
    needs: Needs = Needs()
    environments: tuple[EnvironmentSpec, ...] = ()
    """Managed environments that have what it needs, the default one first; none: the current interpreter."""
    links: tuple[str, ...] = ()
    """Other distributions whose modules it imports besides its own: they are importable in the worker too."""
    docs_url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvAdapterSpec:
    """A way to make environments. Entry-point group `rpent.env_adapters`; entries of catalogs name it."""

    name: str
    summary: str
    adapter: str
    """Import string of a `rpent_robosmith.api.EnvAdapter` class; imported in the worker only."""
    needs: Needs = Needs()
    environments: tuple[EnvironmentSpec, ...] = ()
    """As of trainers. An environment is trained in where both its adapter and the trainer can run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvCatalogSpec:
    """A list of environments. Entry-point group `rpent.env_catalogs`."""

    name: str
    summary: str
    path: str
    """`"package:data/catalog.yaml"`, package data."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InspectorSpec:
    """A reader of one kind of artefact. Entry-point group `rpent.inspectors`."""

    name: str
    summary: str
    kind: str
    """`policy`, `dataset` or `environment`."""
    inspector: str
    """Import string of a `rpent_robosmith.api.Inspector` class; it is light until it inspects."""
    needs: Needs = Needs()


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardAgentSpec:
    """Somebody who writes rewards. Entry-point group `rpent.reward_agents`."""

    name: str
    summary: str
    agent: str
    """Import string of `Agent(context)` with `propose`, see `rpent_robosmith.api.RewardAgent`."""
    needs: Needs = Needs()
    uses_model: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionAgentSpec:
    """Somebody who decides after an evaluation. Entry-point group `rpent.decision_agents`."""

    name: str
    summary: str
    agent: str
    """Import string of `Agent(context)` with `decide`, see `rpent_robosmith.api.DecisionAgent`."""
    needs: Needs = Needs()
    uses_model: bool = False
