"""The two schemes of this distribution."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rpent.errors import HandshakeError, UsageError
from rpent.rpc.channel import RpcChannel
from rpent.rpc.codec import DEFAULT_LIMITS

from rpent_transport_zmq.connection import BrokenOffError, MechanismError, ZmqConnection
from rpent_transport_zmq.server import ZmqServer

if TYPE_CHECKING:
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint


class ZmqTransport:
    """What both schemes do."""

    scheme: ClassVar[str]

    def connect(self, endpoint: Endpoint, *, token: str, timeout_s: float) -> RpcChannel:
        """Connect and shake hands."""
        if not token:
            raise UsageError(f"Connecting to `{endpoint}` needs the server's token.")
        dialler = _Dialler(endpoint, token)
        # The connection itself is authorised, so messages need not carry the token.
        return RpcChannel(dialler.open, endpoint=endpoint, token="", timeout_s=timeout_s)

    def serve(self, endpoint: Endpoint, dispatcher: Dispatcher) -> ZmqServer:
        """Bind the endpoint."""
        return ZmqServer(endpoint, dispatcher)


class ZmqTcpTransport(ZmqTransport):
    """`zmq+tcp://host:port`."""

    scheme = "zmq+tcp"


class ZmqIpcTransport(ZmqTransport):
    """`zmq+ipc:///path/to/socket`."""

    scheme = "zmq+ipc"


class _Dialler:
    """Opens connections, and remembers how the server wants them.

    A server that listens beyond loopback encrypts for everyone, also for a client on its own machine.
    """

    def __init__(self, endpoint: Endpoint, token: str) -> None:
        self._endpoint = endpoint
        self._token = token
        self._encrypted = not endpoint.is_local
        self._known = False
        """Whether this token has been accepted before."""

    def open(self, timeout_s: float) -> ZmqConnection:
        """Open a connection."""
        deadline = time.monotonic() + timeout_s
        try:
            connection = self._open(timeout_s)
        except (MechanismError, BrokenOffError):
            if self._known or self._encrypted or self._endpoint.path:
                raise
            # Two mechanisms do not agree: whichever side sees it first hangs up.
            connection = self._open(max(0.1, deadline - time.monotonic()), encrypted=True)
            self._encrypted = True
        self._known = True
        return connection

    def _open(self, timeout_s: float, *, encrypted: bool = False) -> ZmqConnection:
        encrypted = encrypted or self._encrypted
        try:
            return ZmqConnection(
                self._endpoint,
                token=self._token,
                encrypted=encrypted,
                timeout_s=timeout_s,
                max_message_bytes=DEFAULT_LIMITS.message_bytes,
            )
        except BrokenOffError as error:
            if self._known or not encrypted:
                raise
            # A CURVE server cannot read what was encrypted for another token's key, and says nothing.
            raise HandshakeError(
                f"The server at `{self._endpoint}` refuses the token, or is not one of RPent's."
            ) from error
