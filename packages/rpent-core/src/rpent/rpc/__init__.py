"""Calls to services: one codec, an explicit method table, pluggable transports.

`connect` and `serve` are all that most code needs. They pick the transport by the endpoint's scheme, and
a transport only moves frames: request ids, at-most-once execution, cancellation and progress are the
dispatcher's and the channel's, so every transport behaves the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpent.rpc.api import Expectation, connect, serve
    from rpent.rpc.channel import Channel, ServerInfo
    from rpent.rpc.codec import Limits
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint, parse_endpoint
    from rpent.rpc.facade import CallContext, Facade, Method
    from rpent.rpc.transport import Server, Transport

_HOMES = {
    "CallContext": "facade",
    "Channel": "channel",
    "Dispatcher": "dispatcher",
    "Endpoint": "endpoint",
    "Expectation": "api",
    "Facade": "facade",
    "Limits": "codec",
    "Method": "facade",
    "Server": "transport",
    "ServerInfo": "channel",
    "Transport": "transport",
    "connect": "api",
    "parse_endpoint": "endpoint",
    "serve": "api",
}

__all__ = [
    "CallContext",
    "Channel",
    "Dispatcher",
    "Endpoint",
    "Expectation",
    "Facade",
    "Limits",
    "Method",
    "Server",
    "ServerInfo",
    "Transport",
    "connect",
    "parse_endpoint",
    "serve",
]


def __getattr__(name: str) -> Any:
    """Load a name on first use, so that importing one part (a light facade) does not load numpy."""
    from importlib import import_module  # noqa: PLC0415

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
