"""The light plugin module: what this distribution offers, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import TransportSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_transports() -> Iterator[TransportSpec]:
    """Offer HTTP."""
    yield TransportSpec(
        scheme="http",
        summary="RPC over HTTP, one binary body a message; not encrypted.",
        transport="rpent_transport_http.transport:HttpTransport",
        local_priority=10,
    )
