"""What a transport is: it moves frames between a client and a dispatcher, and knows nothing about calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.channel import Channel
    from rpent.rpc.codec import Buffer
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint


class Server(Protocol):
    """A bound endpoint. Control messages are answered from the moment it exists; calls wait for `run`."""

    endpoint: Endpoint
    """The real one: port 0 is resolved."""

    def run(self) -> None:
        """Execute handlers on the calling thread until `shutdown`; then close the facade and the endpoint."""

    def shutdown(self) -> None:
        """End `run`; safe from any thread and from a signal handler."""


class Transport(Protocol):
    """A way to carry frames, found by the endpoint's scheme."""

    scheme: ClassVar[str]

    def connect(self, endpoint: Endpoint, *, token: str, timeout_s: float) -> Channel:
        """Connect and shake hands.

        Raises:
            ConnectionLostError: Nobody answers there.
            HandshakeError: The server refuses the token or speaks another protocol.
        """

    def serve(self, endpoint: Endpoint, dispatcher: Dispatcher) -> Server:
        """Bind the endpoint.

        Raises:
            TransportError: The endpoint is taken or cannot be bound.
        """


class Connection(Protocol):
    """A line to a server, used by one call at a time: what a transport implements for `RpcChannel`."""

    def send(self, frames: Sequence[Buffer], timeout_s: float) -> None:
        """Send a request whose last reply is wanted within that time.

        Raises:
            ConnectionLostError: The peer is gone, or does not take it in time.
        """

    def receive(self, timeout_s: float) -> Sequence[Buffer] | None:
        """Return the next reply, or None when none came in (about) that time.

        Raises:
            ConnectionLostError: The peer is gone.
        """

    def close(self) -> None:
        """Release it. Idempotent."""
