"""What a job needs of its interpreter: the frameworks of an environment's adapter and of trainers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.plugins import registry

from rpent_robosmith.catalog.entry import SERVED
from rpent_robosmith.policy.files import read_description
from rpent_robosmith.specs import Needs
from rpent_robosmith.work.interpreter import missing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rpent.specs import EnvironmentSpec

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.specs import EnvAdapterSpec, TrainerSpec

OWN_DISTRIBUTION = "rpent-robosmith"
NAMED = ("random", "zero")
"""Policies that have no folder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Requirements:
    """Fields of a `Job` of the same names."""

    environments: tuple[EnvironmentSpec, ...] = ()
    needs: tuple[str, ...] = ()
    sharing: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Return them for `Job(...)`."""
        return {"environments": self.environments, "needs": self.needs, "sharing": self.sharing}


@dataclass(frozen=True, kw_only=True, slots=True)
class Lack:
    """Why something cannot be used here, and what mends it."""

    reason: str
    """`it needs gymnasium-robotics, mujoco<3.9`"""
    remedy: str
    """A command."""


def requirements(entry: EnvEntry, *trainers: TrainerSpec) -> Requirements:
    """Return what a job in an environment needs, together with trainers where some are used.

    Raises:
        PluginError: The entry's adapter is not installed.
    """
    adapter = adapter_spec(entry.adapter)
    specs: list[EnvAdapterSpec | TrainerSpec] = [adapter, *trainers]
    needed = [*entry.needs.modules, *(module for spec in specs for module in spec.needs.modules)]
    modules = dict.fromkeys(needed)
    kinds = ["env_adapters", *("trainers" for _ in trainers)]
    links = [link for trainer in trainers for link in trainer.links]
    owners = (_distribution(kind, spec.name) for kind, spec in zip(kinds, specs, strict=True))
    return Requirements(
        environments=shared_environments(specs),
        needs=tuple(modules),
        sharing=tuple(
            dict.fromkeys(owner for owner in [*owners, *links] if owner not in {"", OWN_DISTRIBUTION})
        ),
    )


def policy_requirements(entry: EnvEntry, folder: str | Path) -> Requirements:
    """Return what a job that runs a policy in an environment needs: a network of ours nothing but the environment.

    Args:
        entry: The environment.
        folder: Of the policy, or the name of one that needs none (`random`, `zero`).

    Raises:
        PluginError: The adapter, or the trainer whose framework runs the policy, is not installed.
        PolicyError: The folder holds no policy.
    """
    if str(folder) in NAMED:
        return requirements(entry)
    description = read_description(folder)
    if description.kind == "mlp":
        return requirements(entry)
    return requirements(entry, registry.get("trainers", description.trainer))


def shared_environments(specs: Iterable[EnvAdapterSpec | TrainerSpec]) -> tuple[EnvironmentSpec, ...]:
    """Return the managed environments that all of them can run in, in the order of the first."""
    first, *others = [spec.environments for spec in specs]
    names = [{environment.name for environment in other} for other in others]
    return tuple(spec for spec in first if all(spec.name in known for known in names))


def adapter_spec(name: str) -> EnvAdapterSpec:
    """Return an installed env adapter.

    Raises:
        PluginError: There is none of that name, or it is broken.
    """
    spec: EnvAdapterSpec = registry.get("env_adapters", name)
    return spec


def lack(entry: EnvEntry, *, python: str | None = None) -> Lack | None:
    """Return why an environment cannot be made here; None where it can. Nothing is imported.

    Args:
        entry: The environment.
        python: The interpreter that the user chose for workers.

    Raises:
        PluginError: Its adapter is not installed.
    """
    spec = adapter_spec(entry.adapter)
    for needs in (spec.needs, Needs(**dict(entry.needs))):
        if missing(needs.modules, spec.environments, python=python):
            return needs_lack(needs, spec.environments)
    if entry.adapter == SERVED and entry.env_id not in registry.names("robots"):
        distribution = f"rpent-robot-{entry.env_id}"
        return Lack(
            reason=f"the robot `{entry.env_id}` is not installed", remedy=f"pip install {distribution}"
        )
    return None


def needs_lack(needs: Needs, environments: tuple[EnvironmentSpec, ...] = ()) -> Lack:
    """Return the sentence and the command for something whose modules are not there."""
    names = ", ".join(f"`{name}`" for name in needs.packages or needs.modules)
    commands = [f"rpent env sync {environments[0].name}"] if environments else []
    commands += [needs.install] if needs.install else []
    return Lack(reason=f"it needs {names}", remedy=" or ".join(commands))


def _distribution(kind: str, name: str) -> str:
    return registry.current().resolve(kind, name).distribution
