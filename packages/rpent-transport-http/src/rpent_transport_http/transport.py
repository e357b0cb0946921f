"""The scheme of this distribution."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, ClassVar

from rpent.errors import ConnectionLostError, UsageError
from rpent.rpc.channel import RpcChannel

from rpent_transport_http.connection import HttpConnection, Line

if TYPE_CHECKING:
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint

    from rpent_transport_http.server import HttpServer


class HttpTransport:
    """`http://host:port`."""

    scheme: ClassVar[str] = "http"

    def connect(self, endpoint: Endpoint, *, token: str, timeout_s: float) -> RpcChannel:
        """Connect and shake hands."""
        if not (token and token.isascii() and token.isprintable()):
            raise UsageError(f"Connecting to `{endpoint}` needs the server's token, in printable ASCII.")
        line = Line(endpoint, token)
        # Timeouts of httpx are of single reads: a server that says a little now and then would be heard forever.
        limit = threading.Timer(timeout_s, line.close)
        limit.daemon = True
        limit.start()
        try:
            # Every request carries the token in its head, so messages need not.
            channel = RpcChannel(
                lambda seconds: HttpConnection(line, seconds),
                endpoint=endpoint,
                token="",
                timeout_s=timeout_s,
                on_close=line.close,
            )
        finally:
            limit.cancel()
        if line.closed:
            raise ConnectionLostError(f"The server at `{endpoint}` did not answer the handshake in time.")
        return channel

    def serve(self, endpoint: Endpoint, dispatcher: Dispatcher) -> HttpServer:
        """Bind the endpoint."""
        from rpent_transport_http.server import HttpServer  # noqa: PLC0415  (clients need no web server)

        return HttpServer(endpoint, dispatcher)
