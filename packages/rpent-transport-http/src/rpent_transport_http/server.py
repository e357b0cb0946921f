"""The server: uvicorn on a thread of its own in front of the dispatcher."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from typing import TYPE_CHECKING

import uvicorn
from rpent.errors import TransportError
from rpent.rpc.endpoint import Endpoint

from rpent_transport_http.app import make_app

if TYPE_CHECKING:
    from rpent.rpc.dispatcher import Dispatcher

KEEP_ALIVE_S = 75
"""Longer than a client keeps an idle connection, so that it is the client who closes it."""

_log = logging.getLogger(__name__)


class HttpServer:
    """A bound socket with a web server on it.

    Args:
        endpoint: Where to listen.
        dispatcher: What answers.
    """

    def __init__(self, endpoint: Endpoint, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._socket = _bind(endpoint)
        self.endpoint = Endpoint(endpoint.scheme, host=endpoint.host, port=self._socket.getsockname()[1])
        if not endpoint.is_local:
            _log.warning(
                "`%s` can be reached from other machines and is not encrypted; zmq+tcp is.", self.endpoint
            )
        config = uvicorn.Config(
            make_app(dispatcher),
            http="h11",
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=2,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, daemon=True, name="rpent-http")
        self._thread.start()

    def run(self) -> None:
        """Execute handlers on the calling thread until `shutdown`, then close the endpoint."""
        try:
            self._dispatcher.run()
        finally:
            self._uvicorn.should_exit = True
            self._thread.join()

    def shutdown(self) -> None:
        """End `run`; safe from any thread and from a signal handler."""
        self._dispatcher.stop()

    def _serve(self) -> None:
        try:
            self._uvicorn.run(sockets=[self._socket])
        finally:
            self._socket.close()


def _bind(endpoint: Endpoint) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)[
            0
        ]
    except (OSError, UnicodeError) as error:
        raise TransportError(f"The host `{endpoint.host}` of `{endpoint}` is unknown.") from error
    # asyncio sets TCP_NODELAY only on sockets that say they are TCP; without it every answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)  # connections made before uvicorn is up wait here
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise TransportError(f"The endpoint `{endpoint}` is in use.") from error
        raise TransportError(f"The endpoint `{endpoint}` cannot be bound: {error.strerror}.") from error
    return listener
