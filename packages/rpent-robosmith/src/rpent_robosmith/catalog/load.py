"""The environments of all installed catalogs.

A catalog that cannot be read, or an entry whose id another one has already, is left out and recorded as a failure: it
breaks nothing else, and `rpent smith envs` shows it. `RPENT_STRICT_PLUGINS=1` raises instead.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rpent.errors import RpentError, UsageError
from rpent.plugins import registry
from rpent.plugins.failure import LoadFailure
from rpent.suggest import did_you_mean

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.catalog.read import parse_catalog
from rpent_robosmith.measures import Success

if TYPE_CHECKING:
    from rpent.plugins.index import Entry

    from rpent_robosmith.specs import EnvCatalogSpec

OWN_DISTRIBUTION = "rpent-robosmith"
GYMNASIUM_ID = re.compile(r"(?:[A-Za-z_][\w.]*:)?(?:[\w-]+/)?[\w.-]+-v\d+")
"""`Pendulum-v1`, `ALE/Pong-v5`, `my_package:MyEnv-v0`."""
ROBOTICS_ID = re.compile(r"(?:Fetch|Hand|Adroit|PointMaze|AntMaze|FrankaKitchen)\w*-v\d+")
"""What gymnasium-robotics registers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalog:
    """One installed catalog, as it was read."""

    name: str
    distribution: str
    entries: tuple[EnvEntry, ...] = ()
    failures: tuple[str, ...] = ()
    """Sentences: what is left out, and why."""


def catalogs() -> tuple[Catalog, ...]:
    """Return every installed catalog: RoboSmith's own first, then by name; read once for what is installed."""
    found = _read(registry.current())
    if os.environ.get("RPENT_STRICT_PLUGINS") == "1":
        for catalog in found:
            for failure in catalog.failures:
                raise RpentError(failure)
    return found


@lru_cache(maxsize=1)
def _read(installed: registry.Registry) -> tuple[Catalog, ...]:
    points = [point for point in installed.index.entries() if point.kind == "env_catalogs"]
    points.sort(key=lambda point: (point.distribution != OWN_DISTRIBUTION, point.qualified_name))
    taken: dict[str, str] = {}
    return tuple(_catalog(point, taken) for point in points if not installed.index.is_blocked(point))


def entries() -> dict[str, EnvEntry]:
    """Return id → entry of every environment in the installed catalogs."""
    return {entry.id: entry for catalog in catalogs() for entry in catalog.entries}


def find(name: str) -> EnvEntry:
    """Return the environment of an id: of a catalog, or any that Gymnasium could know.

    A Gymnasium id that exactly one entry makes without arguments is that entry. For another one nothing is declared:
    its success is the signal `is_success`, until the task declares one of its own.

    Raises:
        UsageError: No catalog has it, and it does not look like a Gymnasium id.
    """
    known = entries()
    if name in known:
        return known[name]
    same = [entry for entry in known.values() if entry.env_id == name and not entry.kwargs]
    if len(same) == 1:
        return same[0]
    if GYMNASIUM_ID.fullmatch(name):
        return foreign(name)
    options = [*known, *(entry.env_id for entry in known.values())]
    raise UsageError(
        f"No environment is called `{name}`{did_you_mean(name, options)}",
        hint="`rpent smith envs` lists them; any Gymnasium id (`Pendulum-v1`) is accepted too.",
    )


def foreign(env_id: str) -> EnvEntry:
    """Return an entry for a Gymnasium id that no catalog describes."""
    return EnvEntry(
        id=re.sub(r"[^a-z0-9]+", "-", env_id.lower()).strip("-"),
        name=env_id,
        adapter="gymnasium-robotics" if ROBOTICS_ID.fullmatch(env_id) else "gymnasium",
        env_id=env_id,
        robot="none",
        tags=(),
        description="A Gymnasium environment that no catalog describes.",
        success=Success(signal="is_success"),
        progress="return",
    )


def _catalog(point: Entry, taken: dict[str, str]) -> Catalog:
    """Read one catalog; ids in `taken` are lost to it, its own are added."""
    try:
        loaded = registry.current().try_entry(point)
        if isinstance(loaded, LoadFailure):
            raise RpentError(
                f"The catalog `{point.name}` of {point.distribution} is unusable: {loaded.reason}"
            )
        found = parse_catalog(_text(loaded), loaded.path)
    except RpentError as error:
        return Catalog(name=point.name, distribution=point.distribution, failures=(error.message,))
    kept, lost = [], []
    for entry in found:
        if entry.id in taken:
            lost.append(
                f"The id `{entry.id}` of the catalog `{point.name}` is that of `{taken[entry.id]}` already."
            )
        else:
            taken[entry.id] = point.name
            kept.append(entry)
    return Catalog(
        name=point.name, distribution=point.distribution, entries=tuple(kept), failures=tuple(lost)
    )


def _text(spec: EnvCatalogSpec) -> str:
    package, _, path = spec.path.partition(":")
    try:
        return files(package).joinpath(path).read_text(encoding="utf-8")
    except (OSError, ImportError, UnicodeDecodeError, ValueError) as error:
        raise RpentError(f"The catalog `{spec.name}` has no readable file `{spec.path}`: {error}.") from error
