"""RoboSmith's own hooks, added to core's through `rpent_add_hookspecs`: the first file for its plugin authors.

A module named by an entry point of one of these groups states `PLUGIN_API = 1` and implements the hook::

    # pyproject.toml
    [project.entry-points."rpent.trainers"]
    my-trainer = "my_trainer.plugin"

    # my_trainer/plugin.py
    from rpent.hookspecs import hookimpl
    from rpent_robosmith.specs import AlgorithmSpec, Needs, TrainerSpec

    PLUGIN_API = 1

    @hookimpl
    def rpent_trainers():
        yield TrainerSpec(
            name="my-trainer", summary="My algorithms.", trainer="my_trainer.train:MyTrainer",
            algorithms=(AlgorithmSpec(name="my-ppo", summary="PPO, my way."),),
            needs=Needs(modules=("jax",), packages=("jax",), install="pip install my-trainer[jax]"),
        )
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpent_robosmith import specs


class SmithHooks:
    """Hooks that describe what a distribution adds to RoboSmith. Each returns an iterable of frozen specs."""

    @hookspec
    def rpent_trainers(self) -> Iterable[specs.TrainerSpec]:  # type: ignore[empty-body]
        """Trainers. Entry-point group `rpent.trainers`."""

    @hookspec
    def rpent_env_adapters(self) -> Iterable[specs.EnvAdapterSpec]:  # type: ignore[empty-body]
        """Ways to make environments. Entry-point group `rpent.env_adapters`."""

    @hookspec
    def rpent_env_catalogs(self) -> Iterable[specs.EnvCatalogSpec]:  # type: ignore[empty-body]
        """Lists of environments, as YAML package data. Entry-point group `rpent.env_catalogs`."""

    @hookspec
    def rpent_inspectors(self) -> Iterable[specs.InspectorSpec]:  # type: ignore[empty-body]
        """Readers of policies, datasets and environments. Entry-point group `rpent.inspectors`."""

    @hookspec
    def rpent_reward_agents(self) -> Iterable[specs.RewardAgentSpec]:  # type: ignore[empty-body]
        """Those who write rewards. Entry-point group `rpent.reward_agents`."""

    @hookspec
    def rpent_decision_agents(self) -> Iterable[specs.DecisionAgentSpec]:  # type: ignore[empty-body]
        """Those who decide after an evaluation. Entry-point group `rpent.decision_agents`."""
