"""All managed environments that the installed plugins declare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rpent.environments.managed import ManagedEnvironment
from rpent.errors import EnvironmentSetupError
from rpent.plugins import registry
from rpent.plugins.failure import LoadFailure
from rpent.specs import environments_of, services_of
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from rpent.specs import EnvironmentSpec, ServiceSpec

_KINDS = ("robots", "policies", "perceptors")


@dataclass(frozen=True, slots=True)
class DeclaredEnvironment:
    """An environment, with the service that it was first found in and the distribution that ships it."""

    spec: EnvironmentSpec
    service: ServiceSpec
    distribution: str
    owner: str
    """The robot, policy or perceptor: `libero`."""
    sharing: tuple[str, ...] = ()
    """Other distributions with services that run in it."""
    startable: bool = True
    """Whether the service starts with its defaults; a policy needs a checkpoint."""

    @property
    def managed(self) -> ManagedEnvironment:
        """The environment on disk."""
        return ManagedEnvironment(self.spec, distribution=self.distribution, sharing=self.sharing)


def declared_environments() -> dict[str, DeclaredEnvironment]:
    """Return every environment by name; broken plugins are passed over (`rpent plugins list` shows them)."""
    found: dict[str, DeclaredEnvironment] = {}
    current = registry.current()
    for entry in current.index.entries():
        if entry.kind not in _KINDS or current.index.is_blocked(entry):
            continue
        spec = current.try_entry(entry)
        if isinstance(spec, LoadFailure):
            continue
        for service in services_of(spec):
            for environment in environments_of(service):
                new = DeclaredEnvironment(
                    environment, service, entry.distribution, entry.name, startable=service.starts_alone
                )
                first = found.setdefault(environment.name, new)
                if entry.distribution not in (first.distribution, *first.sharing):
                    found[environment.name] = replace(first, sharing=(*first.sharing, entry.distribution))
    return found


def declared_environment(name: str) -> DeclaredEnvironment:
    """Return one environment.

    Raises:
        EnvironmentSetupError: No installed plugin declares it.
    """
    found = declared_environments()
    if name not in found:
        raise EnvironmentSetupError(
            f"No installed plugin has an environment `{name}`{did_you_mean(name, found)} "
            f"Environments: {listing(found)}.",
            hint="rpent env list",
        )
    return found[name]
