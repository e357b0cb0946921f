"""Whether a service could listen somewhere, asked before it is started: a model may load for minutes first."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING

from rpent.errors import PluginError, TransportError, UsageError
from rpent.plugins import registry

if TYPE_CHECKING:
    from rpent.rpc.endpoint import Endpoint


def check_endpoint(endpoint: Endpoint) -> None:
    """Refuse an endpoint that nothing could listen at. One with a path is the transport's to judge.

    Raises:
        UsageError: No installed transport has its scheme.
        TransportError: The address is in use, or is none of this machine's.
    """
    try:
        registry.get("transports", endpoint.scheme)
    except PluginError as error:
        raise UsageError(error.message, hint=error.hint) from error
    if endpoint.path:
        return
    try:
        family, *_, address = socket.getaddrinfo(
            endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            if os.name == "posix":  # elsewhere the option lets two servers share a port
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise TransportError(f"The endpoint `{endpoint}` is in use.") from error
        raise TransportError(
            f"The endpoint `{endpoint}` cannot be listened at ({error.strerror or error})."
        ) from error
