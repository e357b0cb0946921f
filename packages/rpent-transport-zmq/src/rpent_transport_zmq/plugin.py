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
    """Offer ZeroMQ over TCP and over local sockets."""
    yield TransportSpec(
        scheme="zmq+tcp",
        summary="RPC over ZeroMQ and TCP; encrypted beyond loopback.",
        transport="rpent_transport_zmq.transport:ZmqTcpTransport",
        local_priority=20,
    )
    yield TransportSpec(
        scheme="zmq+ipc",
        summary="RPC over ZeroMQ and a local socket; the fastest on one machine.",
        transport="rpent_transport_zmq.transport:ZmqIpcTransport",
        local_priority=30,
    )
