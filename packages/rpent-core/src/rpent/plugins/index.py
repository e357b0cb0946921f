"""The one scan of the installed entry points. Nothing here imports a plugin.

The `importlib_metadata` package is used rather than the standard library's module because it costs fewer
modules and less time (its import pulls in no email parser); it is imported when names are first asked for,
never for `rpent --help`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.plugins.blocking import Blocking, blocking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importlib_metadata import Distribution, EntryPoint

GROUP_PREFIX = "rpent."
CORE_DISTRIBUTION = "rpent-core"

KIND_LABELS = {
    "robots": "robot",
    "planners": "planner",
    "transports": "transport",
    "tools": "tool",
    "policies": "policy",
    "perceptors": "perceptor",
    "executors": "executor",
    "commands": "command",
    "frontends": "front end",
    "plugins": "plugin",
}
"""Kind (the entry-point group without its prefix) → what a message calls one of them."""


def label(kind: str) -> str:
    """Return what a message calls one plugin of a kind; a kind that a plugin added is an English plural."""
    return KIND_LABELS.get(kind) or kind.removesuffix("s").replace("_", " ")


_DISTRIBUTION_PREFIXES = {
    "perceptors": "rpent-perception-",
    "commands": "rpent-",
    "frontends": "rpent-",
    "plugins": "rpent-",
}


def canonical(distribution: str) -> str:
    """Return a distribution's name in its canonical form (PEP 503, without the import of `re`)."""
    return "-".join(
        part for part in distribution.lower().replace("_", "-").replace(".", "-").split("-") if part
    )


def conventional_distribution(kind: str, name: str) -> str:
    """Return who by convention brings a name: `rpent-robot-libero` for the robot `libero`."""
    prefix = _DISTRIBUTION_PREFIXES.get(kind, f"rpent-{label(kind)}-").replace(" ", "-")
    return canonical(prefix + name)


def metadata_field(dist: Distribution | None, field: str) -> str:
    """Return a field of a distribution's metadata, `unknown` where the installation is damaged."""
    try:
        metadata = dist and dist.metadata
        return str((metadata and metadata[field]) or "unknown")
    except Exception:  # noqa: BLE001  (a damaged installation of anything must not break the list)
        return "unknown"


def requirements_of(dist: Distribution | None) -> list[str]:
    """Return what a distribution depends on; nothing where the installation is damaged."""
    try:
        return list((dist and dist.requires) or ())
    except Exception:  # noqa: BLE001  (as above)
        return []


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry point. Its distribution's metadata is read only when asked for."""

    kind: str
    name: str
    point: EntryPoint

    @property
    def module(self) -> str:
        """The light plugin module, as the entry point has it; it may be no module name at all."""
        return self.point.value.partition(":")[0].strip()

    @property
    def dist(self) -> Distribution | None:
        """The distribution that declares it."""
        return self.point.dist

    @property
    def distribution(self) -> str:
        """The distribution's canonical name."""
        return canonical(metadata_field(self.dist, "Name"))

    @property
    def version(self) -> str:
        """The distribution's version."""
        return metadata_field(self.dist, "Version")

    @property
    def qualified_name(self) -> str:
        """`distribution:name`, which is unambiguous."""
        return f"{self.distribution}:{self.name}"

    @property
    def built_in(self) -> bool:
        """Whether core itself brings it; such a plugin is never blocked."""
        return self.module.startswith("rpent.")


class Index:
    """The entry points of the groups `rpent.*`, by kind and name."""

    def __init__(self, entries: Iterable[Entry], blocking: Blocking = Blocking()) -> None:  # noqa: B008 (frozen)
        self._entries: dict[str, dict[str, list[Entry]]] = {}
        self.blocking = blocking
        for entry in entries:
            self._entries.setdefault(entry.kind, {}).setdefault(entry.name, []).append(entry)

    def kinds(self) -> list[str]:
        """Return the kinds that something is installed for."""
        return sorted(self._entries)

    def names(self, kind: str) -> list[str]:
        """Return the names that the user may choose from, sorted."""
        names = self._entries.get(kind, {})
        return sorted(
            name for name, claims in names.items() if any(not self.is_blocked(entry) for entry in claims)
        )

    def claims(self, kind: str, name: str) -> list[Entry]:
        """Return every entry that claims a name, plain or as `distribution:name`; blocked ones too."""
        distribution, colon, plain = name.rpartition(":")
        claims = self._entries.get(kind, {}).get(plain if colon else name, [])
        return (
            [entry for entry in claims if entry.distribution == canonical(distribution)]
            if colon
            else list(claims)
        )

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, blocked ones included, by kind and name."""
        for kind in sorted(self._entries):
            for name in sorted(self._entries[kind]):
                yield from self._entries[kind][name]

    def owner(self, kind: str, name: str) -> Entry | None:
        """Return the one entry that a plain name stands for, or None when nobody or several own it.

        Where several distributions claim a name, core wins, then the distribution that is named after it by
        convention (`rpent-robot-libero` for `libero`); so a newcomer cannot take a name that is in use.
        """
        claims = [entry for entry in self.claims(kind, name) if not self.is_blocked(entry)]
        if len(claims) > 1:
            conventional = conventional_distribution(kind, name)
            claims = [entry for entry in claims if entry.built_in] or [
                entry for entry in claims if entry.distribution == conventional
            ]
        return claims[0] if len(claims) == 1 else None

    def is_blocked(self, entry: Entry) -> bool:
        """Whether the user switched this plugin off by its name, distribution, or `distribution:name`."""
        return self.blocking.blocks(entry)


def scan() -> Index:
    """Read the entry points of everything that is installed."""
    from importlib_metadata import entry_points  # noqa: PLC0415  (not for `rpent --help`)

    try:
        points = list(entry_points())
    except Exception:  # noqa: BLE001  (one damaged file anywhere in the environment)
        points = list(_readable_points())
    found = (point for point in points if point.group.startswith(GROUP_PREFIX))
    return Index(
        (Entry(point.group.removeprefix(GROUP_PREFIX), point.name, point) for point in found), blocking()
    )


def _readable_points() -> Iterator[EntryPoint]:
    """Yield the entry points of every distribution whose file can be read."""
    from importlib_metadata import distributions  # noqa: PLC0415

    seen = set()
    for distribution in distributions():
        name = canonical(metadata_field(distribution, "Name"))
        if name in seen and name != "unknown":
            continue  # shadowed by one that stands earlier on the path
        seen.add(name)
        try:
            yield from list(distribution.entry_points)
        except Exception:  # noqa: BLE001  (the damaged one)
            yield from _salvaged(distribution)


def _salvaged(distribution: Distribution) -> Iterator[EntryPoint]:
    """Yield what can be read of a damaged file: a line that names no module is kept, so that asking says so."""
    from configparser import ConfigParser  # noqa: PLC0415  (only for a damaged installation)

    from importlib_metadata import EntryPoint  # noqa: PLC0415

    parser = ConfigParser(delimiters=("=",), strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(distribution.read_text("entry_points.txt") or "")
    except Exception:  # noqa: BLE001  (nothing in it can be read)
        return
    for group in parser.sections():
        for name, value in parser.items(group):
            point = EntryPoint.__new__(EntryPoint)  # its constructor refuses values that name no module
            vars(point).update(name=name, value=value, group=group, dist=distribution)
            yield point
