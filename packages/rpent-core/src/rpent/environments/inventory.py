"""What there is: the environments that plugins declare, and those that are on disk."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from rpent.environments.catalog import declared_environments
from rpent.environments.managed import disk_usage, read_record
from rpent.environments.paths import cache_dir, environment_dir

State = Literal["ready", "outdated", "incomplete", "not built", "unused"]


@dataclass(frozen=True, kw_only=True, slots=True)
class InventoryRow:
    """One environment."""

    name: str
    state: State
    """`outdated`: the plugin's data changed since. `unused`: no installed plugin declares it any more."""
    python: str
    distribution: str
    path: str
    bytes: int
    torch: str = ""
    """The build of PyTorch that it holds."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def inventory() -> list[InventoryRow]:
    """Return all environments by name."""
    declared = declared_environments()
    root = cache_dir() / "environments"
    on_disk = {entry.name for entry in root.iterdir() if entry.is_dir()} if root.is_dir() else set()
    rows = []
    for name in sorted({*declared, *on_disk}):
        directory = environment_dir(name)
        record = read_record(directory)
        state: State = "unused" if record else "incomplete"
        if name in declared:
            managed = declared[name].managed
            state = "ready" if managed.is_current() else "outdated" if managed.exists() else "not built"
            if state == "not built" and (directory / "venv").is_dir():
                state = "incomplete"
        rows.append(
            InventoryRow(
                name=name,
                state=state,
                python=declared[name].spec.python if name in declared else record.get("python", ""),
                distribution=declared[name].distribution
                if name in declared
                else record.get("distribution", ""),
                path=str(directory),
                bytes=disk_usage(directory) if directory.is_dir() else 0,
                torch=record.get("torch", ""),
            )
        )
    return rows
