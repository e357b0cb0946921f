"""Finding a service by what the user types: `libero/env`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.plugins import registry
from rpent.specs import services_of
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from rpent.specs import ServiceSpec

_KINDS = ("robots", "perceptors")


@dataclass(frozen=True, slots=True)
class ServiceTarget:
    """A service of an installed plugin."""

    owner: str
    """The robot or perceptor, or the policy's backend."""
    spec: ServiceSpec
    distribution: str
    kind: str = "robots"

    def __str__(self) -> str:
        """Return it as the user types it."""
        return f"{self.owner}/{self.spec.name}"


def find_service(text: str) -> ServiceTarget:
    """Return the service that `OWNER/SERVICE` names; `OWNER` is enough where it has only one.

    Raises:
        UsageError: Nothing of that name is installed, or it has no such service.
        PluginError: The plugin is broken.
    """
    owner, slash, name = text.partition("/")
    kinds = [kind for kind in _KINDS if owner in registry.names(kind)]
    if not kinds:
        raise _unknown(owner)
    found = [target for kind in kinds for target in _services_of(kind, owner)]
    if slash:
        chosen = [target for target in found if target.spec.name == name]
    else:
        chosen = [target for target in found if target.spec.factory]
    if len(chosen) != 1:
        has = listing(str(target) for target in found)
        raise UsageError(f"`{text}` does not name one service; `{owner}` has {has}.")
    if not chosen[0].spec.factory:
        option = f"--{chosen[0].spec.name}-endpoint"
        raise UsageError(f"`{chosen[0]}` is served by others; a run attaches to it with `{option}`.")
    return chosen[0]


def _unknown(owner: str) -> UsageError:
    if owner in registry.names("policies"):
        return UsageError(
            f"`{owner}` is a backend of the policy server.",
            hint=f"rpent serve policy --backend {owner} --checkpoint PATH",
        )
    installed = sorted({name for kind in _KINDS for name in registry.names(kind)})
    return UsageError(
        f"No robot or perceptor is named `{owner}`{did_you_mean(owner, [*installed, 'policy'])}",
        hint=f"Installed: {listing(installed)}. Forms: `rpent serve ROBOT/SERVICE`, `rpent serve policy`.",
    )


def _services_of(kind: str, owner: str) -> list[ServiceTarget]:
    entry = registry.current().resolve(kind, owner)
    services = services_of(registry.get(kind, owner))
    return [ServiceTarget(owner, each, entry.distribution, kind) for each in services]
