"""The client: a DEALER socket for one call at a time, and ZeroMQ's own events to see a server go."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import zmq
from rpent.errors import ConnectionLostError, HandshakeError
from zmq.utils.monitor import recv_monitor_message

from rpent_transport_zmq.address import zmq_address
from rpent_transport_zmq.security import secure_client

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.codec import Buffer
    from rpent.rpc.endpoint import Endpoint

_EVENTS = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_CONNECT_RETRIED
    | zmq.EVENT_DISCONNECTED
)
_HEARTBEAT_MS = 2000
_HEARTBEAT_TIMEOUT_MS = 10_000


class MechanismError(HandshakeError):
    """The server wants the other security mechanism."""


class BrokenOffError(ConnectionLostError):
    """The server ends the connection before it is made: it is dying, or (with CURVE) has another token."""


class ZmqConnection:
    """One connected socket.

    Args:
        endpoint: The server.
        token: Its token.
        encrypted: Use CURVE.
        timeout_s: How long connecting may take.
        max_message_bytes: The largest accepted frame.

    Raises:
        ConnectionLostError: Nobody listens there.
        HandshakeError: The server refuses the token, or is not one of RPent's.
    """

    def __init__(
        self, endpoint: Endpoint, *, token: str, encrypted: bool, timeout_s: float, max_message_bytes: int
    ) -> None:
        self._endpoint = endpoint
        address = zmq_address(endpoint)
        self._socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._monitor: zmq.Socket[bytes] = self._socket.get_monitor_socket(_EVENTS)
        try:
            self._socket.setsockopt(zmq.IPV6, address.startswith("tcp://["))
            self._socket.setsockopt(zmq.MAXMSGSIZE, max_message_bytes)
            self._socket.setsockopt(zmq.HEARTBEAT_IVL, _HEARTBEAT_MS)
            self._socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, _HEARTBEAT_TIMEOUT_MS)
            secure_client(self._socket, token, encrypted=encrypted)
            self._socket.connect(address)
            self._await_handshake(time.monotonic() + timeout_s)
        except BaseException:
            self.close()
            raise
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)

    def send(self, frames: Sequence[Buffer], timeout_s: float) -> None:  # noqa: ARG002
        """Send a request."""
        if self._monitor.poll(0):  # it was idle: has the server gone meanwhile?
            raise self._gone()
        try:
            self._socket.send_multipart(frames, zmq.NOBLOCK, copy=False)
        except zmq.ZMQError as error:
            raise self._gone() from error

    def receive(self, timeout_s: float) -> Sequence[Buffer] | None:
        """Return the next reply."""
        ready = dict(self._poller.poll(int(timeout_s * 1000 + 0.999)))
        if self._socket in ready:
            return [frame.buffer for frame in self._socket.recv_multipart(copy=False)]
        if self._monitor in ready:
            if self._socket.poll(0):  # its last reply came just before
                return [frame.buffer for frame in self._socket.recv_multipart(copy=False)]
            raise self._gone()
        return None

    def close(self) -> None:
        """Release the sockets."""
        if not self._socket.closed:
            self._socket.disable_monitor()
            self._socket.close(0)

    def _await_handshake(self, deadline: float) -> None:
        while True:
            left_ms = int((deadline - time.monotonic()) * 1000)
            if left_ms <= 0 or not self._monitor.poll(left_ms):
                raise ConnectionLostError(f"No server answers at `{self._endpoint}` in time.")
            message = recv_monitor_message(self._monitor)
            event, value = message["event"], message["value"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return
            if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                raise HandshakeError(f"The server at `{self._endpoint}` refuses the token.")
            if (
                event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
                and value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
            ):
                raise MechanismError(
                    f"The server at `{self._endpoint}` is not one of RPent's, or is of another release."
                )
            if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
                raise HandshakeError(f"The server at `{self._endpoint}` is not one of RPent's.")
            if event == zmq.EVENT_CONNECT_RETRIED:
                raise ConnectionLostError(f"No server answers at `{self._endpoint}`.", hint="Is it running?")
            raise BrokenOffError(f"The server at `{self._endpoint}` breaks the connection off.")

    def _gone(self) -> ConnectionLostError:
        return ConnectionLostError(f"The server at `{self._endpoint}` is gone.")
