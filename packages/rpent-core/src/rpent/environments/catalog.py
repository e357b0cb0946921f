"""All managed environments that the installed plugins declare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from rpent.environments.managed import ManagedEnvironment
from rpent.errors import EnvironmentSetupError
from rpent.plugins import registry
from rpent.plugins.failure import LoadFailure
from rpent.plugins.index import canonical
from rpent.plugins.kinds import SPEC_TYPES
from rpent.specs import environments_of, services_of
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpent.plugins.index import Entry
    from rpent.specs import EnvironmentSpec, ServiceSpec

KINDS = ("robots", "policies", "perceptors")
"""Core's kinds that have some; what plugins add (`KindSpec`) may have some too, in a field `environments`."""


@dataclass(frozen=True, slots=True)
class DeclaredEnvironment:
    """An environment, with the distribution that ships it and its plugin that was found first."""

    spec: EnvironmentSpec
    service: ServiceSpec | None
    """What runs in it; None where a plugin's own processes do."""
    distribution: str
    owner: str
    """The robot, policy, perceptor, ...: `libero`."""
    sharing: tuple[str, ...] = ()
    """Other distributions of which something runs in it."""
    startable: bool = True
    """Whether the service starts with its defaults; a policy needs a checkpoint."""
    default: bool = True
    """Whether a service prefers it to others."""

    @property
    def managed(self) -> ManagedEnvironment:
        """The environment on disk."""
        return ManagedEnvironment(self.spec, distribution=self.distribution, sharing=self.sharing)

    @property
    def is_shipped(self) -> bool:
        """Whether the distribution is the one that ships the environment: its lock is in a package of that name."""
        package = (self.spec.lock or "").partition(":")[0].partition(".")[0]
        return package == canonical(self.distribution).replace("-", "_")

    def shared_with(self, other: DeclaredEnvironment) -> DeclaredEnvironment:
        """Return the environment as it is when another service runs in it too."""
        known = (self.distribution, *self.sharing)
        added = () if other.distribution in known else (other.distribution,)
        return replace(self, sharing=(*self.sharing, *added), default=self.default or other.default)


def declared_environments() -> dict[str, DeclaredEnvironment]:
    """Return every environment by name; broken plugins are passed over (`rpent plugins list` shows them)."""
    current = registry.current()
    entries = [
        entry
        for entry in current.index.entries()
        if (entry.kind in KINDS or _is_added(entry.kind)) and not current.index.is_blocked(entry)
    ]
    loaded = [(entry, current.try_entry(entry)) for entry in entries]
    return environments_in((entry, spec) for entry, spec in loaded if not isinstance(spec, LoadFailure))


def environments_in(specs: Iterable[tuple[Entry, Any]]) -> dict[str, DeclaredEnvironment]:
    """Return the environments of these robots, policies, perceptors, ... by name, each once.

    Args:
        specs: What was loaded, with where it comes from.
    """
    found: dict[str, list[DeclaredEnvironment]] = {}
    for entry, spec in specs:
        for environment, service, default in _declared_by(entry.kind, spec):
            new = DeclaredEnvironment(
                environment,
                service,
                entry.distribution,
                entry.name,
                startable=service is not None and service.starts_alone,
                default=default,
            )
            found.setdefault(environment.name, []).append(new)
    return {
        name: reduce(DeclaredEnvironment.shared_with, sorted(each, key=lambda one: not one.is_shipped))
        for name, each in found.items()
    }


def _declared_by(kind: str, spec: Any) -> Iterator[tuple[EnvironmentSpec, ServiceSpec | None, bool]]:
    """Yield a spec's environments, each with the service that runs in it and whether that prefers it."""
    for service in services_of(spec):
        for environment in environments_of(service):
            yield environment, service, environment is service.environment
    if _is_added(kind):
        for environment in getattr(spec, "environments", ()):
            yield environment, None, environment is spec.environments[0]


def _is_added(kind: str) -> bool:
    """Whether it is a kind that plugins add."""
    return kind not in SPEC_TYPES and kind != "plugins"


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
