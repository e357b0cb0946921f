"""Which inspector reads an artefact."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError, PluginError, UsageError
from rpent.plugins import registry
from rpent.plugins.named import load_named
from rpent.suggest import listing, typeable

from rpent_robosmith.inspect.api import local

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rpent_robosmith.inspect.api import ArtefactFacts, Inspector
    from rpent_robosmith.specs import InspectorSpec, Needs
    from rpent_robosmith.work.api import Bench

KINDS = ("policy", "dataset", "environment")
_HUB = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, slots=True)
class Found:
    """An inspector that recognised an artefact."""

    artefact: str
    spec: InspectorSpec
    inspector: Inspector

    def inspect(self, *, samples: int = 0, bench: Bench | None = None) -> ArtefactFacts:
        """Read the artefact.

        Args:
            samples: So many steps are put into `details["samples"]`.
            bench: Runs what has to run in a worker.

        Raises:
            EnvironmentSetupError: A package that its reader needs is missing.
            UsageError: It is damaged.
        """
        require(self.spec.needs, f"To read `{self.artefact}` ({self.spec.name})")
        if bench is not None:
            self.inspector.bench = bench
        return self.inspector.inspect(self.artefact, samples=samples)


def find(artefact: str, kinds: Collection[str] = KINDS) -> Found:
    """Return the inspector that recognises an artefact.

    Args:
        artefact: A path, a catalog entry, a Gymnasium id, or `robot:NAME`.
        kinds: What is wanted.

    Raises:
        UsageError: Nobody recognises it, or several do.
    """
    recognised = list(_recognising(artefact))
    wanted = [found for found in recognised if found.spec.kind in kinds]
    if len(wanted) == 1:
        return wanted[0]
    if wanted:
        names = listing(found.spec.name for found in wanted)
        raise UsageError(
            f"`{artefact}` is recognised by several inspectors: {names}.", hint="Give a file in it."
        )
    if tuple(kinds) == ("environment",) and not recognised:
        from rpent_robosmith.catalog import load  # noqa: PLC0415

        load.find(artefact)  # says which one may have been meant
    raise UsageError(_unknown(artefact, kinds, recognised), hint=_hint(artefact, kinds))


def require(needs: Needs, purpose: str) -> None:
    """Refuse to go on without the modules that are needed.

    Raises:
        EnvironmentSetupError: Some are missing.
    """
    if missing := [name for name in needs.modules if importlib.util.find_spec(name) is None]:
        raise EnvironmentSetupError(
            f"{purpose}, the packages {listing(needs.packages or missing)} are needed.",
            hint=typeable(needs.install),
        )


def _recognising(artefact: str) -> Iterator[Found]:
    for name in registry.names("inspectors"):
        try:
            spec: InspectorSpec = registry.get("inspectors", name)
            inspector: Inspector = load_named(spec.inspector, f"inspector `{name}`")()
        except PluginError as error:
            registry.warn("The inspector `%s` is left out: %s", name, error.message)
            continue
        if inspector.recognises(artefact):
            yield Found(artefact, spec, inspector)


def _unknown(artefact: str, kinds: Collection[str], recognised: list[Found]) -> str:
    wanted = " or ".join(kinds)
    if recognised:
        found = recognised[0].spec
        return f"`{artefact}` is {_a(found.kind)} ({found.name}); {_a(wanted)} is wanted."
    if local(artefact) is None:
        return f"`{artefact}` is not a file or folder here, and no {wanted} of that name is known."
    return f"`{artefact}` is no {wanted} that an installed inspector can read."


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _hint(artefact: str, kinds: Collection[str]) -> str:
    specs: list[InspectorSpec] = []
    for name in registry.names("inspectors"):
        try:
            specs.append(registry.get("inspectors", name))
        except PluginError:
            continue
    known = [f"  {spec.name}: {spec.summary}" for spec in specs if spec.kind in kinds]
    lines = ["Readable are:", *known]
    if local(artefact) is None and _HUB.fullmatch(artefact) and "environment" not in kinds:
        lines.insert(0, "Nothing is downloaded: fetch it first, and give its folder.")
    return "\n".join(lines)
