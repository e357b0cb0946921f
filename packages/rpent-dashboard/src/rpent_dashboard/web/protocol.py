"""HTTP/1.1 as uvicorn speaks it, for people who keep connections open and say nothing."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

MAX_CONNECTIONS = 512
HEAD_S = 15.0
"""How long the first line and the headers of a request may take to arrive."""
UNREAD_S = 60.0
"""How long a browser may leave unread what it was sent; its streams go on where they stopped when it comes back."""


class Impatient(H11Protocol):
    """Closes connections whose request does not arrive, and those that are too many.

    The wait between two requests of a connection is keep-alive's.
    """

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for a request, but not for long."""
        super().connection_made(transport)
        _expect_acknowledgements(transport.get_extra_info("socket"))
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Pass it on; part of a request's head does not buy more time for the rest."""
        super().data_received(data)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._forget()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._forget()
        elif self._patience is None:
            self._patience = self.loop.call_later(HEAD_S, self._give_up)

    def _forget(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self.conn.their_state is h11.IDLE:
            self.transport.abort()


def _expect_acknowledgements(connection: socket.socket) -> None:
    """Let the kernel close a connection whose other end is gone or reads nothing, where it can."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(UNREAD_S * 1000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
