"""What the routes work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent_dashboard.web.security.access import Access
from rpent_dashboard.web.security.names import Names
from rpent_dashboard.web.streams import Streams

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_dashboard.hosting.host import Host
    from rpent_dashboard.reading.library import Library


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Where the dashboard listens, and who may use it."""

    access: Access
    names: Names
    loopback: bool = True
    """Whether only this machine reaches it."""
    streams: Streams = field(default_factory=Streams)

    @classmethod
    def local(cls, token: str, port: int = 80, host: str = "127.0.0.1") -> Settings:
        """Return the settings of a dashboard on loopback."""
        return cls(access=Access(token, port), names=Names([host], port))


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What `router(surroundings)` of each module in `web/routes` gets."""

    output_dir: Path
    settings: Settings
    library: Library
    """Reads the runs below `output_dir`."""
    host: Host | None = None
    """Executes the tasks of the dashboard's session; None where runs can only be watched."""
