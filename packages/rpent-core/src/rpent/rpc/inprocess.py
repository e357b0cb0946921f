"""The transport without a wire: client and server in one process, through the same codec."""

from __future__ import annotations

import queue
import weakref
from typing import TYPE_CHECKING, ClassVar

from rpent.errors import ConnectionLostError, TransportError
from rpent.rpc.channel import RpcChannel
from rpent.rpc.messages import Reply, reply_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.codec import Buffer
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint

_servers: weakref.WeakValueDictionary[str, InProcessServer] = weakref.WeakValueDictionary()
"""Where clients of this process find its servers: the counterpart of a port."""


class InProcessServer:
    """A dispatcher under a name."""

    def __init__(self, endpoint: Endpoint, dispatcher: Dispatcher) -> None:
        self.endpoint = endpoint
        self.dispatcher = dispatcher
        self.closed = False
        self.connections: weakref.WeakSet[InProcessConnection] = weakref.WeakSet()

    def run(self) -> None:
        """Execute handlers on the calling thread until `shutdown`."""
        try:
            self.dispatcher.run()
        finally:
            self.closed = True
            if _servers.get(self.endpoint.path) is self:
                del _servers[self.endpoint.path]
            for connection in list(self.connections):
                connection.replies.put(None)

    def shutdown(self) -> None:
        """End `run`."""
        self.dispatcher.stop()


class InProcessConnection:
    """A queue of replies. Frames are copied, as by a wire: neither side sees the other's memory."""

    def __init__(self, server: InProcessServer) -> None:
        self.replies: queue.SimpleQueue[Sequence[Buffer] | None] = queue.SimpleQueue()
        self._server = server
        server.connections.add(self)

    def send(self, frames: Sequence[Buffer], timeout_s: float) -> None:  # noqa: ARG002
        """Hand the request to the dispatcher."""
        if self._server.closed:
            raise ConnectionLostError("The server has ended.")
        self._server.dispatcher.receive([bytes(frame) for frame in frames], self._reply)

    def receive(self, timeout_s: float) -> Sequence[Buffer] | None:
        """Return the next reply."""
        try:
            frames = self.replies.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if frames is None:
            raise ConnectionLostError("The server has ended.")
        return frames

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _reply(self, reply: Reply, payload: Sequence[Buffer]) -> None:
        self.replies.put([bytes(frame) for frame in reply_frames(reply, payload)])


class InProcessTransport:
    """`inproc://NAME`: for tests, and for a service in the planner's own process."""

    scheme: ClassVar[str] = "inproc"

    def connect(self, endpoint: Endpoint, *, token: str, timeout_s: float) -> RpcChannel:
        """Connect to a server of this process."""
        return RpcChannel(
            lambda _timeout_s: self._open(endpoint), endpoint=endpoint, token=token, timeout_s=timeout_s
        )

    def serve(self, endpoint: Endpoint, dispatcher: Dispatcher) -> InProcessServer:
        """Offer the dispatcher under the endpoint's name."""
        if endpoint.path in _servers:
            raise TransportError(f"The endpoint `{endpoint}` is in use.")
        server = InProcessServer(endpoint, dispatcher)
        _servers[endpoint.path] = server
        return server

    def _open(self, endpoint: Endpoint) -> InProcessConnection:
        server = _servers.get(endpoint.path)
        if server is None or server.closed:
            raise ConnectionLostError(f"No server answers at `{endpoint}`.")
        return InProcessConnection(server)
