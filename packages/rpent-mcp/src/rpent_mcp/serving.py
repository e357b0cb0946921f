"""A source of tools over streamable HTTP, in a thread of this process."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from rpent.errors import ServiceError

from rpent_mcp.guard import TokenGuard
from rpent_mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp.server.lowlevel import Server

    from rpent_mcp.source import ToolSource

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
_LAST_REPLIES_S = 1
"""How long the end of the server waits for replies under way: the one to `finish` shall still arrive."""
_STOP_S = 30.0
"""How long the end of the server waits for a tool that was cancelled; longer than a session does."""


@dataclass(frozen=True, slots=True)
class Served:
    """Where a server listens, and what it wants to see."""

    url: str
    """`http://127.0.0.1:PORT/mcp`."""
    token: str = field(repr=False)
    """Clients send `Authorization: Bearer TOKEN`."""
    connected: Callable[[], bool] = field(repr=False)
    """Whether a client keeps a connection open."""

    def wait_for_leave(self, timeout_s: float) -> None:
        """Wait until no client is connected any more; some take a connection that breaks for a failure."""
        deadline = time.monotonic() + timeout_s
        while self.connected() and time.monotonic() < deadline:
            time.sleep(0.05)


@contextmanager
def serve_tools(
    source: ToolSource, *, name: str = "robot", instructions: str | None = None
) -> Iterator[Served]:
    """Serve tools on a free port of the loopback interface, for the time of a `with` block.

    Calls reach `source.acall` in the order of their arrival. A client that cancels a call cancels the tool.
    At the end calls under way are cancelled.

    Args:
        source: A session, or anything that has tools and calls them one at a time.
        name: What clients call the server; they may show a tool as `mcp__NAME__tool`.
        instructions: What clients tell their model about the server.

    Raises:
        ServiceError: The server does not start.
    """
    server = build_server(source, name=name, instructions=instructions)
    with serve_http(server, token=secrets.token_urlsafe(32)) as served:
        yield served


@contextmanager
def serve_http(server: Server[Any], *, token: str, host: str = LOOPBACK, port: int = 0) -> Iterator[Served]:
    """Serve an MCP server over HTTP for the time of a `with` block.

    Args:
        server: What to serve.
        token: What clients must present.
        host: Where to listen.
        port: 0 takes a free one.

    Raises:
        ServiceError: The address cannot be had, or the server does not start.
    """
    listener = bound_socket(host, port)
    app = server.streamable_http_app(
        streamable_http_path=PATH, session_idle_timeout=None, transport_security=_hosts(host)
    )
    guard = TokenGuard(app, token)
    config = uvicorn.Config(
        guard,
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=_LAST_REPLIES_S,
    )
    web = uvicorn.Server(config)
    thread = threading.Thread(
        target=lambda: asyncio.run(web.serve(sockets=[listener])), name="rpent-mcp", daemon=True
    )
    thread.start()
    while not web.started and thread.is_alive():
        thread.join(0.01)
    if not web.started:
        listener.close()
        raise ServiceError("The MCP server did not start.", hint="`rpent doctor` examines the installation.")
    try:
        shown = f"[{host}]" if ":" in host else host

        def connected() -> bool:
            return bool(web.server_state.connections)

        yield Served(
            url=f"http://{shown}:{listener.getsockname()[1]}{PATH}", token=token, connected=connected
        )
    finally:
        guard.end_streams()
        web.should_exit = True
        thread.join(_STOP_S)
        listener.close()


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address.

    Raises:
        ServiceError: The address cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _no_address(host, port, error) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _no_address(host, port, error) from error
    return listener


def _no_address(host: str, port: int, error: OSError) -> ServiceError:
    return ServiceError(
        f"The MCP server cannot listen on `{host}:{port}`: {error.strerror or error}.",
        hint="Give another address; port 0 takes a free one.",
    )


def _hosts(host: str) -> TransportSecuritySettings:
    """Return which `Host` and `Origin` headers are accepted, lest a web page reaches a local server.

    A server that listens on all interfaces cannot know its names; there the token alone decides.
    """
    if host in {"0.0.0.0", "::"}:  # noqa: S104  (compared, not listened on)
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = ["127.0.0.1", "localhost", "[::1]"]
    names += [] if host in {*names, "::1"} else [f"[{host}]" if ":" in host else host]
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in names], allowed_origins=[f"http://{name}:*" for name in names]
    )
