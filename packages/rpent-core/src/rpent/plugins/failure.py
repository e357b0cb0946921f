"""Why a plugin cannot be used, as data and as an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rpent.errors import ExitCode, PluginError

if TYPE_CHECKING:
    from rpent.plugins.index import Entry

Phase = Literal["name", "core version", "find", "import", "plugin api", "hooks", "collect"]
Status = Literal["available", "disabled", "incompatible", "broken", "conflict", "unloaded"]

_STATUS_OF_PHASE: dict[str, Status] = {
    "name": "conflict",
    "core version": "incompatible",
    "plugin api": "incompatible",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadFailure:
    """What went wrong with one plugin, in which phase of loading it, and what mends it."""

    kind: str
    name: str
    distribution: str
    version: str
    module: str
    phase: Phase
    reason: str
    """One sentence."""
    remedy: str = ""
    """A command, or what to do."""
    trace: str = ""
    """The traceback, for `--verbose` and `rpent doctor`."""

    @property
    def status(self) -> Status:
        """What `rpent plugins list` calls it."""
        return _STATUS_OF_PHASE.get(self.phase, "broken")


class BrokenPluginError(PluginError):
    """A plugin that was asked for is installed and cannot be used."""

    def __init__(self, message: str, *, failure: LoadFailure) -> None:
        super().__init__(message, hint=failure.remedy or None)
        self.failure = failure


class UnknownPluginError(PluginError):
    """No plugin of the wanted kind has the name that the user gave."""

    exit_code = ExitCode.USAGE


class PhaseError(Exception):
    """A phase of loading found what makes the plugin unusable; the loader turns it into a `LoadFailure`."""

    def __init__(self, phase: Phase, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.phase = phase
        self.reason = reason
        self.remedy = remedy


def failure_of(entry: Entry, phase: Phase, reason: str, *, remedy: str = "", trace: str = "") -> LoadFailure:
    """Describe a failure of `entry`."""
    return LoadFailure(
        kind=entry.kind,
        name=entry.name,
        distribution=entry.distribution,
        version=entry.version,
        module=entry.module,
        phase=phase,
        reason=reason,
        remedy=remedy,
        trace=trace,
    )
