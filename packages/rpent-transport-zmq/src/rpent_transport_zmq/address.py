"""RPent endpoints as ZeroMQ addresses."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import zmq
from rpent.errors import TransportError, UsageError
from rpent.rpc.endpoint import Endpoint

MAX_SOCKET_PATH = 107
"""Bytes of a Unix socket's path, from `sockaddr_un`."""


def zmq_address(endpoint: Endpoint) -> str:
    """Return what ZeroMQ connects to or binds; host names are resolved, because `bind` wants an address.

    Raises:
        UsageError: The path is too long for a socket.
        TransportError: The host is unknown.
    """
    if endpoint.path:
        if len(endpoint.path.encode()) > MAX_SOCKET_PATH:
            raise UsageError(
                f"`{endpoint}` is too long for a socket; its path may have {MAX_SOCKET_PATH} bytes.",
                hint="Use a folder nearer to the root, such as one under `/tmp`.",
            )
        return f"ipc://{endpoint.path}"
    host = numeric_host(endpoint)
    return f"tcp://[{host}]:{endpoint.port}" if ":" in host else f"tcp://{host}:{endpoint.port}"


def numeric_host(endpoint: Endpoint) -> str:
    """Return the endpoint's host as an address.

    Raises:
        TransportError: The host is unknown.
    """
    try:
        found = socket.getaddrinfo(endpoint.host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TransportError(f"The host `{endpoint.host}` of `{endpoint}` is unknown.") from error
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return str(found[0][4][0])


def bound_endpoint(endpoint: Endpoint, router: zmq.Socket[bytes]) -> Endpoint:
    """Return the endpoint with the port that the socket really has."""
    if endpoint.path:
        return endpoint
    last = router.getsockopt_string(zmq.LAST_ENDPOINT)
    return Endpoint(endpoint.scheme, host=endpoint.host, port=int(last.rpartition(":")[2]))


def claim_path(endpoint: Endpoint) -> None:
    """Make sure that a socket's path can be bound. ZeroMQ would take it from a server that lives.

    Raises:
        TransportError: A server listens there, another file is in the way, or there is no such folder.
    """
    path = Path(endpoint.path)
    if not path.parent.is_dir():
        raise TransportError(f"The folder of the socket `{endpoint}` does not exist.")
    if not path.exists():
        return
    if not path.is_socket():
        raise TransportError(f"The endpoint `{endpoint}` is in use by a file that is not a socket.")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(1.0)
        with contextlib.suppress(OSError):
            probe.connect(endpoint.path)
            raise TransportError(f"The endpoint `{endpoint}` is in use.")
