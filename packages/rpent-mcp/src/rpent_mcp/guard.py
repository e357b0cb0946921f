"""Who may talk to the server over HTTP: those who hold the token."""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Any, Receive, Send], Awaitable[None]]


class TokenGuard:
    """An ASGI application that passes on what carries the bearer token, and answers the rest with 401."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._streams: set[anyio.CancelScope] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request (or pass on the application's life cycle)."""
        if scope["type"] != "http":
            self._loop = asyncio.get_running_loop()
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        if not hmac.compare_digest(given, self._expected):
            await _unauthorized(send)
            return
        if scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        with anyio.CancelScope() as stream:
            self._streams.add(stream)
            try:
                await self._app(scope, receive, send)
            finally:
                self._streams.discard(stream)

    def end_streams(self) -> None:
        """End the event streams of clients, from any thread: they never end by themselves."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel_streams)

    def _cancel_streams(self) -> None:
        for stream in list(self._streams):
            stream.cancel()


async def _unauthorized(send: Send) -> None:
    body = b"This server wants its token: `Authorization: Bearer TOKEN`."
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
