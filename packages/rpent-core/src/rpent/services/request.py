"""What is asked of the supervisor, and what it tells the process that it starts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.specs import ServiceSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceRequest:
    """One service that a run needs: started by the supervisor, or attached to when `endpoint` is given."""

    spec: ServiceSpec
    config: Mapping[str, Any] = field(default_factory=dict)
    """Values of the service's config model; plain data."""
    endpoint: str | None = None
    """Attach to this running service instead of starting one."""
    token: str = ""
    """The token of an attached service. A service that is started gets one of its own when this is empty."""
    python: str | None = None
    """`--env-python`: the interpreter to run it with."""
    distribution: str = ""
    """The distribution that provides the service; it is linked into the service's interpreter."""
    identity: str | None = None
    """The facade's name that the handshake must show (`libero/env`); None accepts any."""
    version: str | None = None
    """The distribution's version that the handshake must be compatible with; None accepts any."""
    schema: int | None = None
    """The method contract's version that the handshake must show; None accepts any."""
    transport: str | None = None
    """`--transport`: the scheme for a service that is started; None takes the best that is installed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HostJob:
    """One line of JSON on the host's stdin. It holds the token, which is never in argv or environment."""

    name: str
    factory: str
    config_model: str
    config: Mapping[str, Any]
    token: str
    bind: tuple[str, ...]
    """Endpoints in order of preference; the host takes the first whose transport it can import."""
    grace_s: float = 10.0
    """How long the service may take to close before it is killed."""
    cleanup: tuple[str, ...] = ()
    """Directories that the guardian removes at the end (the socket's)."""

    def to_line(self) -> bytes:
        """Return the job as one line of JSON; paths become strings."""
        return json.dumps(asdict(self), default=str).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> HostJob:
        """Read what `to_line` wrote."""
        values = json.loads(line)
        values["bind"], values["cleanup"] = tuple(values["bind"]), tuple(values["cleanup"])
        return cls(**values)
