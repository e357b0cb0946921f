"""Event streams end when the server does; otherwise it would wait for them without end."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LAST_WORD_S = 0.2


class Streams:
    """The event streams that are open now."""

    def __init__(self) -> None:
        self.closing = False
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, task: asyncio.Task[None]) -> None:
        """Note a request whose answer is an event stream; while the server ends, it ends at once."""
        self._tasks.add(task)
        if self.closing:
            task.cancel()

    def discard(self, task: asyncio.Task[None]) -> None:
        """Forget a request that is over."""
        self._tasks.discard(task)

    def close(self) -> None:
        """End all streams, and those that are opened from now on. Called on the server's event loop."""
        self.closing = True
        for task in self._tasks:
            task.cancel()


class EndingStreams:
    """Notes which requests are streams, and ends their answers in order when the server ends."""

    def __init__(self, app: ASGIApp, *, streams: Streams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        task = asyncio.current_task()
        if task is None or scope["type"] != "http":  # another event loop than asyncio's, or no request
            return await self._app(scope, receive, send)

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_stream(message):
                self._streams.add(task)
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except asyncio.CancelledError:
            if not self._streams.closing:
                raise
            task.uncancel()
            # A client that does not read would hold this up.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORD_S):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._streams.discard(task)


def _is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )
