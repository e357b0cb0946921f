"""Which rpent distributions a service needs, where their modules are, and what else they require."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import importlib_metadata
from packaging.requirements import Requirement

from rpent.errors import EnvironmentSetupError
from rpent.plugins.index import CORE_DISTRIBUTION, GROUP_PREFIX, canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

_TRANSPORTS = "rpent.transports"


@dataclass(frozen=True)
class LinkedDistribution:
    """An installed distribution whose modules another interpreter shall see, however it was installed."""

    metadata: importlib_metadata.Distribution

    @cached_property
    def name(self) -> str:
        """The canonical name."""
        return canonical(self.metadata.name)

    @property
    def version(self) -> str:
        """The installed version."""
        return self.metadata.version

    @cached_property
    def metadata_dir(self) -> Path:
        """The `.dist-info` (or `.egg-info`) folder, which is what makes entry points work."""
        # The public interface gives files, not the folder; every installer writes one as a folder.
        return Path(str(getattr(self.metadata, "_path"))).absolute()  # noqa: B009

    def modules(self) -> dict[str, Path]:
        """Return the top-level packages and modules, in wheel and in editable installs: name → its path.

        Raises:
            EnvironmentSetupError: One that an entry point names cannot be found.
        """
        found = {}
        for name in sorted(self._top_level_names()):
            spec = importlib.util.find_spec(name)
            path = None if spec is None else _path_of(spec)
            if path is None:
                raise EnvironmentSetupError(
                    f"The module `{name}` of `{self.name}` cannot be found in this interpreter.",
                    hint=f"pip install --force-reinstall {self.name}",
                )
            found[name] = path
        return found

    def requirements(self) -> list[Requirement]:
        """Return what it requires without any extra."""
        parsed = (Requirement(text) for text in self.metadata.requires or ())
        return [item for item in parsed if item.marker is None or item.marker.evaluate({"extra": ""})]

    def _top_level_names(self) -> set[str]:
        names = {point.module.partition(".")[0] for point in self.metadata.entry_points}
        for file in self.metadata.files or ():
            first = file.parts[0]
            if file.suffix == ".pth":
                names.update(_names_in_roots(Path(str(file.locate()))))
            elif (
                first == ".."
                or first.endswith((".dist-info", ".egg-info", ".data"))
                or first == "__pycache__"
            ):
                continue
            elif file.suffix == ".py" and (len(file.parts) > 1 or not first.startswith("__editable__")):
                names.add(file.stem if len(file.parts) == 1 else first)
        return {name for name in names if name.isidentifier()}


def linked_distributions(*distributions: str) -> list[LinkedDistribution]:
    """Return the distributions that a service's interpreter gets from here: core, transports, the service's.

    Their requirements are followed as far as they belong to RPent (a name `rpent-…` or entry points of ours).

    Args:
        distributions: Those that provide the services; an empty name stands for core.
    """
    wanted = [CORE_DISTRIBUTION, *_providers(_TRANSPORTS), *filter(None, distributions)]
    found: dict[str, LinkedDistribution] = {}
    while wanted:
        name = canonical(wanted.pop())
        if name in found:
            continue
        try:
            linked = LinkedDistribution(importlib_metadata.Distribution.from_name(name))
        except importlib_metadata.PackageNotFoundError:
            raise EnvironmentSetupError(
                f"The distribution `{name}` is needed by a service and not installed.",
                hint=f"pip install {name}",
            ) from None
        found[name] = linked
        wanted.extend(item.name for item in linked.requirements() if _is_ours(item.name))
    return [found[name] for name in sorted(found)]


def foreign_requirements(linked: Iterable[LinkedDistribution]) -> list[str]:
    """Return what the linked distributions require from elsewhere; the other interpreter must have it."""
    linked = list(linked)
    ours = {item.name for item in linked}
    foreign = {
        str(requirement)
        for item in linked
        for requirement in item.requirements()
        if canonical(requirement.name) not in ours
    }
    return sorted(foreign)


def _path_of(spec: ModuleSpec) -> Path | None:
    """Return a package's folder or a module's file; a package without `__init__.py` has a folder too."""
    folders = spec.submodule_search_locations
    if spec.origin is not None:
        return Path(spec.origin).parent if folders is not None else Path(spec.origin)
    places = list(folders or ())
    return Path(places[0]) if len(places) == 1 else None


def _providers(group: str) -> Iterator[str]:
    for point in importlib_metadata.entry_points(group=group):
        if point.dist is not None:
            yield point.dist.name


def _is_ours(name: str) -> bool:
    if canonical(name).startswith("rpent-"):
        return True
    try:
        points = importlib_metadata.distribution(name).entry_points
    except importlib_metadata.PackageNotFoundError:
        return False
    return any(point.group.startswith(GROUP_PREFIX) for point in points)


def _names_in_roots(pth: Path) -> Iterator[str]:
    """Yield the packages and modules in the source folders that an editable install's `.pth` file names."""
    try:
        lines = pth.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        root = Path(line.strip())
        if line.strip() and not line.startswith("import ") and str(root) in sys.path and root.is_dir():
            for entry in root.iterdir():
                if entry.suffix == ".py" or (entry / "__init__.py").is_file():
                    yield entry.stem
