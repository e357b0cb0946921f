"""The web application: one route that takes a message and answers with one, or with a stream of them.

An answer that is ready soon is an ordinary response. A slower one becomes a stream: progress, and a
heartbeat at regular times, by which the client tells a busy server from one that hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from rpent.errors import FrameError
from rpent.rpc import framing
from rpent.rpc.messages import FINAL_KINDS, Reply, reply_frames
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from rpent_transport_http.protocol import MEDIA_TYPE, PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.codec import Buffer
    from rpent.rpc.dispatcher import Dispatcher
    from starlette.types import Receive, Scope, Send

FIRST_BEAT_S = 0.05
BEAT_S = 0.25

_Answer = tuple[Reply, "Sequence[Buffer]"]


class RefusedError(Exception):
    """A request that does not reach the dispatcher."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.response = PlainTextResponse(sentence, status, headers={"connection": "close"})


class RpcApp:
    """The route's ASGI application."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._limits = dispatcher.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            self._check_token(request)
            body = await self._read(request)
        except RefusedError as refusal:
            await refusal.response(scope, receive, send)
            return
        answers = self._dispatch(body)
        reply, payload = await _next(answers, FIRST_BEAT_S)
        message = framing.join(reply_frames(reply, payload))
        if reply.kind in FINAL_KINDS:
            await _start(send, (b"content-length", str(len(message)).encode()))
            await send({"type": "http.response.body", "body": message})
        else:
            await self._stream(message, answers, request, send)

    def _check_token(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self._dispatcher.authorised(token):
            raise RefusedError(401, "The server refuses the token.")

    async def _read(self, request: Request) -> bytes:
        largest = framing.largest_message(self._limits)
        announced = request.headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > largest:
            raise RefusedError(413, f"The message has {announced} bytes; at most {largest} are accepted.")
        chunks, size = [], 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > largest:
                raise RefusedError(413, f"The message has more than the accepted {largest} bytes.")
            chunks.append(chunk)
        return b"".join(chunks)

    def _dispatch(self, body: bytes) -> asyncio.Queue[_Answer]:
        answers: asyncio.Queue[_Answer] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def sink(reply: Reply, payload: Sequence[Buffer]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(answers.put_nowait, (reply, payload))

        frames: Sequence[Buffer]
        try:
            frames = framing.split(body, self._limits)
        except FrameError:
            frames = [body[:64]]  # not an envelope, so the dispatcher says what is wrong
        self._dispatcher.receive(frames, sink, authorised=True)
        return answers

    async def _stream(
        self, message: bytes, answers: asyncio.Queue[_Answer], request: Request, send: Send
    ) -> None:
        await _start(send)
        kind = "waiting"
        while kind not in FINAL_KINDS:
            await send({"type": "http.response.body", "body": message, "more_body": True})
            if await request.is_disconnected():
                return
            reply, payload = await _next(answers, BEAT_S)
            kind, message = reply.kind, framing.join(reply_frames(reply, payload))
        await send({"type": "http.response.body", "body": message})


async def _start(send: Send, *headers: tuple[bytes, bytes]) -> None:
    head = [(b"content-type", MEDIA_TYPE.encode()), *headers]
    await send({"type": "http.response.start", "status": 200, "headers": head})


async def _next(answers: asyncio.Queue[_Answer], seconds: float) -> _Answer:
    """Return the next answer, or a heartbeat after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await answers.get()
    except TimeoutError:
        return Reply(kind="waiting", id=""), ()


def make_app(dispatcher: Dispatcher) -> Starlette:
    """Return the application that serves a dispatcher."""
    return Starlette(routes=[Route(PATH, RpcApp(dispatcher), methods=["POST"])])
