"""The server: moves messages between a socket and the dispatcher.

The thread that executes calls waits on the socket itself, so that a call and its reply change threads nowhere. While a
handler keeps it busy, a second thread stands in for it: pings, cancels and handshakes are answered meanwhile. A lock
says whose turn it is, as ZeroMQ's sockets may change threads but not be shared.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import zmq
from rpent.errors import TransportError
from rpent.rpc.messages import Reply, reply_frames

from rpent_transport_zmq.address import bound_endpoint, claim_path, numeric_host, zmq_address
from rpent_transport_zmq.security import Gatekeeper, secure_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.calls import Sink
    from rpent.rpc.codec import Buffer
    from rpent.rpc.dispatcher import Dispatcher
    from rpent.rpc.endpoint import Endpoint

_LAST_REPLIES_MS = 1000
"""How long replies may take to leave when the server ends."""

_WAKE_MS = 1000
"""How often the executing thread looks up: a signal that came just before it began to wait interrupts nothing."""

_STAND_IN_DELAY_S = 0.005
"""How long the second thread leaves the socket to the first before it looks again."""


class ZmqServer:
    """A bound ROUTER socket in front of a dispatcher.

    Args:
        endpoint: Where to listen; anything but loopback and local sockets is encrypted.
        dispatcher: What answers.
    """

    def __init__(self, endpoint: Endpoint, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._outbox: deque[tuple[bytes, list[Buffer]]] = deque()
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._wake_write.setblocking(False)
        self._ending = False
        self._turn = threading.Lock()
        self._mover = 0
        """The thread that has the turn."""
        self._poller = zmq.Poller()
        try:
            encrypted = not endpoint.is_local
            self._router = self._make_router()
            secure_server(self._router, dispatcher.token, encrypted=encrypted)
            self._gatekeeper = Gatekeeper(self._context, dispatcher.token, encrypted=encrypted)
            self._bind(endpoint)
        except BaseException:
            self._release(linger_ms=0)
            raise
        for source in (self._router, self._gatekeeper.socket, self._wake_read):
            self._poller.register(source, zmq.POLLIN)
        self.endpoint = bound_endpoint(endpoint, self._router)
        self._thread = threading.Thread(target=self._stand_in, daemon=True, name="rpent-zmq")
        self._thread.start()

    def run(self) -> None:
        """Execute handlers on the calling thread until `shutdown`, then close the endpoint."""
        try:
            self._dispatcher.run(self._wait_and_move)
        finally:
            self._ending = True
            self._wake()
            self._thread.join()
            self._move()
            self._release(linger_ms=_LAST_REPLIES_MS)

    def shutdown(self) -> None:
        """End `run`; safe from any thread and from a signal handler."""
        self._dispatcher.stop()
        self._wake()

    def _make_router(self) -> zmq.Socket[bytes]:
        router = self._context.socket(zmq.ROUTER)
        router.router_mandatory = (
            True  # a reply to somebody who left is an error that we see, not a silent loss
        )
        router.maxmsgsize = self._dispatcher.limits.message_bytes
        router.handshake_ivl = 5000
        return router

    def _bind(self, endpoint: Endpoint) -> None:
        if endpoint.path:
            claim_path(endpoint)
        else:
            self._router.ipv6 = ":" in numeric_host(endpoint)
        try:
            self._router.bind(zmq_address(endpoint))
        except zmq.ZMQError as error:
            if error.errno == zmq.EADDRINUSE:
                raise TransportError(f"The endpoint `{endpoint}` is in use.") from error
            raise TransportError(f"The endpoint `{endpoint}` cannot be bound: {error.strerror}.") from error
        if endpoint.path:
            Path(endpoint.path).chmod(0o600)

    def _wait_and_move(self) -> None:
        """Wait for messages and take them in: what the executing thread does between calls."""
        with self._turn:
            if not self._dispatcher.has_waiting_calls:  # the other thread may have taken one in meanwhile
                self._poller.poll(_WAKE_MS)
            self._move()

    def _stand_in(self) -> None:
        """Take messages in while the executing thread is busy.

        It waits on the sockets' file descriptors, which is allowed without having the turn. They are edge-triggered:
        whoever has the turn empties the sockets, or a later message would not be signalled.
        """
        signals = select.poll()
        signals.register(self._wake_read, select.POLLIN)
        for zmq_socket in (self._router, self._gatekeeper.socket):
            signals.register(zmq_socket.fileno(), select.POLLIN)
        while not self._ending:
            signals.poll()
            if not self._try_to_move():
                time.sleep(_STAND_IN_DELAY_S)

    def _try_to_move(self) -> bool:
        if not self._turn.acquire(blocking=False):
            return False
        try:
            self._move()
        finally:
            self._turn.release()
        return True

    def _move(self) -> None:
        """Take in what has come, send what is to go, until there is neither. Needs the turn."""
        self._mover = threading.get_ident()
        try:
            with contextlib.suppress(BlockingIOError):
                self._wake_read.recv(4096)
            self._gatekeeper.answer()
            self._take_messages()
            while self._outbox:
                self._send_replies()
                self._take_messages()
        finally:
            self._mover = 0

    def _take_messages(self) -> None:
        while True:
            try:
                identity, *frames = self._router.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            self._dispatcher.receive(
                [frame.buffer for frame in frames], self._sink(identity.bytes), authorised=True
            )

    def _sink(self, identity: bytes) -> Sink:
        def send(reply: Reply, payload: Sequence[Buffer]) -> None:
            self._outbox.append((identity, reply_frames(reply, payload)))
            if self._mover != threading.get_ident() and not self._try_to_move():
                self._wake()  # whoever has the turn sends it

        return send

    def _send_replies(self) -> None:
        while self._outbox:
            identity, frames = self._outbox.popleft()
            # A client that left, or that does not read, misses the reply and can ask for it again.
            with contextlib.suppress(zmq.Again, zmq.ZMQError):
                self._router.send_multipart([identity, *frames], zmq.NOBLOCK, copy=False)

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_write.send(b"\0")

    def _release(self, linger_ms: int) -> None:
        self._context.destroy(linger=linger_ms)
        self._wake_read.close()
        self._wake_write.close()
