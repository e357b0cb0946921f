"""The websocket server: openpi's protocol in front, a policy server behind.

Questions wait on threads, so that the event loop answers every ping whatever a model is doing.
"""

from __future__ import annotations

import asyncio
import hmac
import http
import logging
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.errors import RpentError, TransportError
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from rpent_policy_openpi.wire import MAX_MESSAGE_BYTES, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.http11 import Request, Response

    from rpent_policy_openpi.gateway.bridge import Bridge
    from rpent_policy_openpi.gateway.keys import KeyMap
    from rpent_policy_openpi.gateway.upstream import Upstream

MAX_CLIENTS = 64
_PING_S, _PONG_S = 20.0, 60.0
_log = logging.getLogger(__name__)


class Gateway:
    """Serves openpi's clients; each connection is an episode of its own.

    Args:
        upstream: The policy server.
        bridge: Translates observations.
        metadata: Sent to each client first.
        api_key: Wanted of clients; None admits everybody who reaches the port.
    """

    def __init__(
        self, upstream: Upstream, bridge: Bridge, *, metadata: dict[str, Any], api_key: str | None = None
    ) -> None:
        self._upstream, self._bridge = upstream, bridge
        self._metadata, self._api_key = metadata, api_key
        self._pool = ThreadPoolExecutor(MAX_CLIENTS, thread_name_prefix="openpi")
        self._clients = 0

    async def run(
        self, host: str, port: int, *, on_ready: Callable[[int], None], ended: asyncio.Event
    ) -> None:
        """Serve until `ended` is set.

        Raises:
            TransportError: The address cannot be bound.
        """
        try:
            server = await serve(
                self._talk,
                host,
                port,
                compression=None,
                max_size=MAX_MESSAGE_BYTES,
                process_request=self._admit,
                ping_interval=_PING_S,
                ping_timeout=_PONG_S,
                close_timeout=1.0,
            )
        except OSError as error:
            raise TransportError(
                f"`{host}:{port}` cannot be listened on ({error.strerror or error}).",
                hint="Choose another with `--listen HOST:PORT`; port 0 takes a free one.",
            ) from error
        async with server:
            on_ready(next(iter(server.sockets)).getsockname()[1])
            await ended.wait()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/healthz":
            return connection.respond(http.HTTPStatus.OK, "OK\n")
        if self._api_key is not None:
            sent = request.headers.get("Authorization", "")
            if not hmac.compare_digest(sent.encode(), f"Api-Key {self._api_key}".encode()):
                return connection.respond(http.HTTPStatus.UNAUTHORIZED, "The key is missing or wrong.\n")
        if self._clients >= MAX_CLIENTS:
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many clients.\n")
        return None

    async def _talk(self, connection: ServerConnection) -> None:
        episode = f"openpi-{uuid.uuid4().hex}"
        self._clients += 1
        try:
            await connection.send(pack(self._metadata))
            await self._answer_all(connection, episode)
        except ConnectionClosed:
            pass
        finally:
            self._clients -= 1
            await self._on_thread(self._upstream.forget, episode)

    async def _answer_all(self, connection: ServerConnection, episode: str) -> None:
        before_ms: float | None = None
        async for message in connection:
            started = time.monotonic()
            try:
                answer = await self._answer(connection, message, episode)
            except RpentError as error:
                await self._fail(connection, f"{error.message} {error.hint or ''}".strip())
                return
            except Exception as error:  # noqa: BLE001 (a bug ends one client's connection, not all)
                _log.exception("a question could not be answered")
                await self._fail(
                    connection, f"The gateway failed ({type(error).__name__}); its log says more."
                )
                return
            infer_ms = (time.monotonic() - started) * 1000
            answer["server_timing"] = {"infer_ms": infer_ms}
            if before_ms is not None:
                answer["server_timing"]["prev_total_ms"] = before_ms
            await connection.send(pack(answer))
            before_ms = (time.monotonic() - started) * 1000

    async def _answer(
        self, connection: ServerConnection, message: str | bytes, episode: str
    ) -> dict[str, Any]:
        """Ask the policy; a client that leaves meanwhile withdraws its question."""
        cancel = CancelToken()
        asking = asyncio.ensure_future(self._on_thread(self._ask, message, episode, cancel))
        leaving = asyncio.ensure_future(connection.wait_closed())
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                cancel.cancel("the client left")
            answer: dict[str, Any] = await asking
            return answer
        finally:
            leaving.cancel()

    def _ask(self, message: str | bytes, episode: str, cancel: CancelToken) -> dict[str, Any]:
        images, state, prompt = self._bridge.inputs(
            unpack(message if isinstance(message, bytes) else message.encode())
        )
        started = time.monotonic()
        chunk = self._upstream.infer(images, state, prompt, episode=episode, cancel=cancel)
        return {"actions": chunk, "policy_timing": {"infer_ms": (time.monotonic() - started) * 1000}}

    async def _on_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    @staticmethod
    async def _fail(connection: ServerConnection, reason: str) -> None:
        """Send a text, which is how openpi's clients learn that something failed, and end the connection."""
        await connection.send(reason)
        await connection.close(CloseCode.INTERNAL_ERROR, "The text before says why.")


def metadata(upstream: Upstream, keys: KeyMap) -> dict[str, Any]:
    """Return what clients are told first: plain data, in their own keys."""
    signature, described = upstream.signature, upstream.described
    return {
        "server": "rpent",
        "backend": described["backend"],
        "family": signature.family,
        "robot": described.get("robot"),
        "images": {
            piece.key: [signature.cameras[piece.name].height, signature.cameras[piece.name].width]
            for piece in keys.cameras
        },
        "state": [str(piece).partition("=")[0] for piece in keys.state],
        "action_dim": signature.action_dim,
        "action_horizon": described.get("chunk_length"),
        "control_rate_hz": described.get("control_rate_hz"),
    }
