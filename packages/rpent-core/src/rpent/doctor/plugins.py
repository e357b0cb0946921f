"""Are the installed plugins usable? A check for each distribution, and others on how they fit together."""

from __future__ import annotations

import functools
import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.plugins import registry
from rpent.plugins.index import CORE_DISTRIBUTION, canonical, label, metadata_field, requirements_of
from rpent.specs import CheckResult, DoctorCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from rpent.plugins.index import Entry
    from rpent.plugins.records import PluginRecord

USABLE = frozenset({"available", "conflict"})


@functools.cache
def _checked() -> tuple[PluginRecord, ...]:
    """Load every plugin in another process, once for one invocation."""
    from rpent.plugins.check import check  # noqa: PLC0415

    return tuple(check(registry.records()))


def loadable_modules() -> Iterator[ModuleType]:
    """Yield the plugin modules that loaded well in another process, loaded here; core's comes first."""
    found = registry.current()
    safe = {record.module for record in _checked() if record.status in USABLE}
    for entry in sorted(found.index.entries(), key=lambda entry: entry.distribution != CORE_DISTRIBUTION):
        if entry.module in safe:
            safe.discard(entry.module)
            module: Any = found.loader.load(entry)
            yield module


def usable(*kinds: str) -> Iterator[tuple[Entry, Any]]:
    """Yield the plugins of these kinds that loaded well, with their specs."""
    found = registry.current()
    for record in _checked():
        if record.kind in kinds and record.status in USABLE:
            entry = found.index.claims(record.kind, record.qualified_name)[0]
            yield entry, found.try_entry(entry)


def distributions_of(names: Sequence[str]) -> set[str]:
    """Return the distributions that bring plugins of these names."""
    return {record.distribution for record in _checked() if record.name in names}


def check_distribution(records: Sequence[PluginRecord]) -> CheckResult:
    """Say what is wrong with the plugins of one distribution."""
    for record in records:
        if record.error:
            return CheckResult(
                status="fail",
                message=f"{label(record.kind)} `{record.name}`: {record.error.reason}",
                remedy=record.error.remedy,
            )
    if printing := [record.name for record in records if record.output]:
        return CheckResult(
            status="warn",
            message=f"`{printing[0]}` prints when it is imported, which garbles machine-readable output.",
            remedy="Report it to its authors.",
        )
    if all(record.status == "disabled" for record in records):
        return CheckResult(status="skip", message="Disabled.")
    names = ", ".join(dict.fromkeys(f"`{record.name}`" for record in records))
    return CheckResult(status="ok", message=f"{records[0].version}: {names}.")


def stale_entry_points(source: Path, records: Sequence[PluginRecord]) -> list[str]:
    """Return the entry points in which an editable distribution differs from its pyproject.toml."""
    try:
        project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, tomllib.TOMLDecodeError):
        return []
    written = {
        (group.removeprefix("rpent."), name, str(value).partition(":")[0].strip())
        for group, points in project.get("entry-points", {}).items()
        if group.startswith("rpent.")
        for name, value in points.items()
    }
    installed = {(record.kind, record.name, record.module) for record in records}
    return [f"`{kind}.{name}`" for kind, name, _ in sorted(written ^ installed)]


def check_entry_points() -> CheckResult:
    """Compare editable installations with their pyproject.toml, which pip reads only once."""
    for distribution, records in _by_distribution().items():
        source = records[0].source_path
        if not (records[0].editable and source):
            continue
        if stale := stale_entry_points(Path(source), records):
            return CheckResult(
                status="fail",
                message=f"`{distribution}` has changed these entry points: {', '.join(stale)}.",
                remedy=f"pip install --no-deps --editable {source}",
            )
    return CheckResult(status="ok", message="Installed entry points are those of their sources.")


def check_requirements() -> CheckResult:
    """Compare what each rpent distribution asks of the others with what is installed."""
    from importlib_metadata import distributions  # noqa: PLC0415
    from packaging.requirements import Requirement  # noqa: PLC0415

    ours = {
        canonical(metadata_field(dist, "Name")): dist
        for dist in distributions()
        if canonical(metadata_field(dist, "Name")).split("-")[0] == "rpent"
    }
    for name, dist in sorted(ours.items()):
        for requirement in map(Requirement, requirements_of(dist)):
            other = ours.get(canonical(requirement.name))
            if other is None or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
                continue
            if not requirement.specifier.contains(other.version, prereleases=True):
                return CheckResult(
                    status="fail",
                    message=f"`{name}` {dist.version} needs `{requirement}`; {other.version} is installed.",
                    remedy=f"pip install --upgrade {name} {canonical(requirement.name)}",
                )
    return CheckResult(status="ok", message=f"{len(ours)} rpent distributions fit together.")


def _by_distribution() -> dict[str, list[PluginRecord]]:
    found: dict[str, list[PluginRecord]] = {}
    for record in _checked():
        found.setdefault(record.distribution, []).append(record)
    return found


def checks() -> list[DoctorCheck]:
    """Return a check for each plugin distribution, and those on how they fit together."""
    each = [
        DoctorCheck(
            name=f"plugins/{distribution}",
            summary=f"The plugins of `{distribution}` can be used.",
            run=partial(check_distribution, records),
        )
        for distribution, records in sorted(_by_distribution().items())
    ]
    return [
        DoctorCheck(name="requirements", summary="rpent distributions fit together.", run=check_requirements),
        DoctorCheck(name="entry-points", summary="No entry point is out of date.", run=check_entry_points),
        *each,
    ]
