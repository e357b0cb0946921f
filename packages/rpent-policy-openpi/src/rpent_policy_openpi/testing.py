"""A local server that speaks openpi's protocol as openpi's own does, for tests without a model."""

from __future__ import annotations

import asyncio
import http
import threading
import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import CloseCode

from rpent_policy_openpi.presets import PRESETS, SIZE
from rpent_policy_openpi.wire import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from websockets.http11 import Request, Response

    Infer = Callable[[dict[str, Any]], dict[str, Any]]


def libero_policy(observation: Mapping[str, Any], *, horizon: int = 10) -> dict[str, Any]:
    """Answer like a LIBERO checkpoint: strict about names, types and shapes, and deterministic.

    The actions reach slowly down with an open hand; the first of their numbers shows the picture's mean.

    Raises:
        KeyError: A key is missing or unknown.
        ValueError: A value has another type or shape.
    """
    preset = PRESETS["libero"]
    wanted = {*preset.cameras, *preset.state, "prompt"}
    if set(observation) != wanted:
        raise KeyError(f"keys {sorted(observation)}, wanted {sorted(wanted)}")
    for name in preset.cameras:
        picture = observation[name]
        if picture.dtype != np.uint8 or picture.shape != (SIZE, SIZE, 3):
            raise ValueError(f"{name} is {picture.dtype} {picture.shape}")
    state = observation["observation/state"]
    if state.dtype.kind != "f" or state.shape != (8,) or not np.isfinite(state).all():
        raise ValueError(f"observation/state is {state.dtype} {state.shape}")
    if not isinstance(observation["prompt"], str):
        raise ValueError("prompt is no text")
    actions = np.zeros((horizon, 7), np.float32)
    actions[:, 0] = observation["observation/image"].mean() / 2550
    actions[:, 2] = -0.1
    actions[:, 6] = -1
    return {"actions": actions}


class LocalOpenpiServer:
    """Runs in a thread, from `with` to its end, on a free port of loopback.

    Args:
        infer: What answers; by default `libero_policy`.
        metadata: Sent when a client connects.
        api_key: Wanted of every client.
        ping_s: Interval and timeout of the server's keepalive.
        starving: Infers in the event loop, as openpi's own server does, so that no ping is answered meanwhile.
    """

    def __init__(
        self,
        infer: Infer | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        ping_s: float = 20.0,
        starving: bool = False,
        port: int = 0,
    ) -> None:
        self.observations: list[dict[str, Any]] = []
        """What clients sent."""
        self.connections = 0
        """How many clients connected."""
        self.open = 0
        """How many of them are connected."""
        self.drop_next = 0
        """How many of the next questions end with a closed socket instead of an answer."""
        self.port = port
        self._infer = infer or libero_policy
        self._metadata, self._api_key = dict(metadata or {}), api_key
        self._ping_s, self._starving = ping_s, starving
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="local-openpi")

    @property
    def uri(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self.port}"

    def __enter__(self) -> LocalOpenpiServer:
        self._thread.start()
        if not self._listening.wait(10):
            raise RuntimeError("The local openpi server does not listen.")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        async with serve(
            self._talk,
            "127.0.0.1",
            self.port,
            compression=None,
            max_size=None,
            process_request=self._admit,
            ping_interval=self._ping_s,
            ping_timeout=self._ping_s,
            close_timeout=0.5,
        ) as server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            self._listening.set()
            await self._ended.wait()

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/healthz":
            return connection.respond(http.HTTPStatus.OK, "OK\n")
        if self._api_key and request.headers.get("Authorization") != f"Api-Key {self._api_key}":
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, "Unauthorized\n")
        return None

    async def _talk(self, connection: ServerConnection) -> None:
        self.connections += 1
        self.open += 1
        try:
            await connection.send(pack(self._metadata))
            async for message in connection:
                if self.drop_next:
                    self.drop_next -= 1
                    connection.transport.abort()
                    return
                await self._answer(connection, message)
        finally:
            self.open -= 1

    async def _answer(self, connection: ServerConnection, message: str | bytes) -> None:
        try:
            observation = unpack(message if isinstance(message, bytes) else message.encode())
            self.observations.append(observation)
            answer = (
                self._infer(observation)
                if self._starving
                else await asyncio.to_thread(self._infer, observation)
            )
            await connection.send(pack({**answer, "server_timing": {"infer_ms": 1.0}}))
        except Exception:  # noqa: BLE001 (openpi's server sends whatever happened, and ends the connection)
            await connection.send(traceback.format_exc())
            await connection.close(CloseCode.INTERNAL_ERROR, "Internal server error. Traceback included.")
