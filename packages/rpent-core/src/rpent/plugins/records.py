"""What `rpent plugins list` says about each plugin: its metadata, then what loading it showed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rpent import specs
from rpent._version import __version__
from rpent.plugins.failure import LoadFailure, PhaseError, failure_of
from rpent.plugins.loader import check_core_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from importlib_metadata import Distribution

    from rpent.plugins.failure import Status
    from rpent.plugins.index import Entry
    from rpent.plugins.registry import Registry

SCHEMA = 1
"""The version of the JSON envelope; fields are only ever added to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginRecord:
    """One installed plugin. What only loading tells is empty while the status is `unloaded`."""

    kind: str
    name: str
    qualified_name: str
    distribution: str
    version: str
    module: str
    editable: bool
    source_path: str | None
    """Folder of an editable or local installation."""
    status: Status
    error: LoadFailure | None = None
    remedy: str = ""
    """What makes it usable, for one that is not."""
    plugin_api: int | None = None
    hooks: tuple[str, ...] = ()
    summary: str = ""
    docs_url: str = ""
    output: str = ""
    """What the module printed when it was imported, which it should not."""
    import_ms: float | None = None
    """Time of the import in a process of its own."""
    modules_added: int | None = None
    """How many modules the import brought in besides core's."""


def records_of(registry: Registry) -> list[PluginRecord]:
    """Return a record of every entry point, by kind and name, without importing any plugin."""
    return [record_of(registry, entry) for entry in registry.index.entries()]


def record_of(registry: Registry, entry: Entry) -> PluginRecord:
    """Return what the metadata tell about one entry point."""
    error = registry.lost_name(entry) or _core_version(entry)
    status: Status = error.status if error else "unloaded"
    remedy = error.remedy if error else ""
    if registry.index.is_blocked(entry):
        status, error = "disabled", None
        remedy = registry.index.blocking.remedy(entry) or ""
    editable, source_path = origin(entry.dist)
    return PluginRecord(
        kind=entry.kind,
        name=entry.name,
        qualified_name=entry.qualified_name,
        distribution=entry.distribution,
        version=entry.version,
        module=entry.module,
        editable=editable,
        source_path=source_path,
        status=status,
        error=error,
        remedy=remedy,
    )


def _core_version(entry: Entry) -> LoadFailure | None:
    try:
        check_core_version(entry)
    except PhaseError as error:
        return failure_of(entry, error.phase, error.reason, remedy=error.remedy)
    return None


def origin(dist: Distribution | None) -> tuple[bool, str | None]:
    """Return whether a distribution is editable, and the local folder that it came from (PEP 610)."""
    text = dist.read_text("direct_url.json") if dist else None
    if not text:
        return False, None
    direct_url = json.loads(text)
    editable = bool(direct_url.get("dir_info", {}).get("editable", False))
    url = str(direct_url.get("url", ""))
    return editable, url.removeprefix("file://") if url.startswith("file://") else None


def envelope(records: Iterable[PluginRecord]) -> dict[str, Any]:
    """Return the versioned JSON form of a list of records."""
    return {
        "schema": SCHEMA,
        "core": __version__,
        "plugin_api": [specs.PLUGIN_API_MIN, specs.PLUGIN_API_MAX],
        "plugins": [row(record) for record in records],
    }


def row(record: PluginRecord) -> dict[str, Any]:
    """Return the JSON form of one record; an error keeps its phase, reason and remedy."""
    fields = asdict(record)
    if record.error:
        fields["error"] = {
            "phase": record.error.phase,
            "reason": record.error.reason,
            "remedy": record.error.remedy,
        }
    return fields
