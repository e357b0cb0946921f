"""The client's side of every transport: request ids, waiting, reconnecting, cancelling, progress.

A call is sent under a fresh request id. When the connection breaks, the same message is sent again: the
server that knows the id attaches the new line to the running call instead of starting it twice, and a
server that was started since refuses it, because its state is another. When the time is over, the call
goes on and `result` asks for it.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rpent.errors import (
    CallTimeoutError,
    CancelledCallError,
    ConnectionLostError,
    HandshakeError,
    TransportError,
)
from rpent.rpc.codec import DEFAULT_LIMITS, Limits, decode, encode
from rpent.rpc.failures import ServerRestartedError, decode_failure
from rpent.rpc.messages import FINAL_KINDS, Reply, Request, parse_reply, request_frames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent.cancel import CancelToken
    from rpent.rpc.codec import Buffer
    from rpent.rpc.endpoint import Endpoint
    from rpent.rpc.transport import Connection

DEFAULT_TIMEOUT_S = 60.0
CONTROL_TIMEOUT_S = 5.0
CANCEL_GRACE_S = 15.0
"""How long a cancelled call may take to end before the client stops waiting for it."""
RECONNECTS = 2
_SLICE_S = 0.25

OnProgress = Callable[[Any], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodInfo:
    """What a server says about one of its methods."""

    timeout_s: float
    concurrent: bool
    summary: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerInfo:
    """Who answers: from the handshake."""

    name: str
    version: str
    schema: int
    instance: str
    """Identifies the server's process; another one has another state."""
    methods: Mapping[str, MethodInfo] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)


class Channel(Protocol):
    """A client's line to one service. Thread-safe."""

    @property
    def info(self) -> ServerInfo:
        """Who answers."""

    def call(
        self,
        method: str,
        /,
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
        **params: Any,
    ) -> Any:
        """Call a method and return its result.

        Args:
            method: Its name in the server's table.
            timeout_s: How long to wait; the method's own default when None.
            cancel: Set from any thread, it cancels the call; the call then ends with `CancelledCallError`, or
                with the handler's own result if that still gives one.
            on_progress: Receives what the handler reports, in order, on the calling thread.
            **params: Plain data and numeric arrays. Decoded arrays are read-only on both sides.

        Raises:
            RemoteError: The service answered with an error.
            CallTimeoutError: No answer in time; the call may still be running (`RpcChannel.result`).
            CancelledCallError: The call was cancelled.
            ConnectionLostError: The server is gone or was restarted; its state is lost.
            FrameError: A parameter cannot be sent.
        """

    def close(self) -> None:
        """Release the connections. Idempotent; does not stop the server."""


class RpcChannel:
    """The channel of every transport, over connections that the transport opens.

    Args:
        open_connection: Opens a connection within the given seconds or raises `ConnectionLostError`.
        endpoint: Where, for messages.
        token: Presented with every request; empty when the connection itself carries it.
        timeout_s: For the handshake.
        limits: Bounds of one message.
        on_close: Called once by `close`.
    """

    def __init__(
        self,
        open_connection: Callable[[float], Connection],
        *,
        endpoint: Endpoint,
        token: str,
        timeout_s: float,
        limits: Limits = DEFAULT_LIMITS,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._open_connection = open_connection
        self.endpoint = endpoint
        self._token = token
        self._limits = limits
        self._on_close = on_close
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._closed = False
        try:
            self._info = self._shake_hands(timeout_s)
        except BaseException:
            self.close()
            raise

    @property
    def info(self) -> ServerInfo:
        """Who answers."""
        return self._info

    def call(
        self,
        method: str,
        /,
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
        **params: Any,
    ) -> Any:
        """Call a method; see `Channel.call`."""
        payload = encode(params, self._limits)
        if timeout_s is None:
            known = self._info.methods.get(method)
            timeout_s = known.timeout_s if known else DEFAULT_TIMEOUT_S
        request = Request(
            kind="call",
            id=uuid.uuid4().hex,
            token=self._token,
            method=method,
            instance=self._info.instance,
            progress=on_progress is not None,
        )
        return self._complete(request, payload, timeout_s, cancel, on_progress)

    def result(
        self,
        request_id: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """Wait for the result of an earlier call that timed out (`CallTimeoutError.request_id`).

        Raises:
            RemoteError: The call failed, or (`UnknownRequestError`) the server does not know or keep it.
            CallTimeoutError: It is still running.
        """
        request = self._request("result", request_id, progress=on_progress is not None)
        return self._complete(request, (), timeout_s, cancel, on_progress)

    def ping(self, timeout_s: float = CONTROL_TIMEOUT_S) -> dict[str, Any]:
        """Ask what the server is doing, also while a handler runs: `running` (a method or ""), `waiting`."""
        return dict(self._complete(self._request("ping"), (), timeout_s))

    def close(self) -> None:
        """Release the connections. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._on_close()

    def _request(self, kind: Any, request_id: str | None = None, *, progress: bool = False) -> Request:
        return Request(kind=kind, id=request_id or uuid.uuid4().hex, token=self._token, progress=progress)

    def _shake_hands(self, timeout_s: float) -> ServerInfo:
        fields = self._complete(self._request("hello"), (), timeout_s)
        try:
            methods = {name: MethodInfo(**entry) for name, entry in fields.pop("methods").items()}
            return ServerInfo(methods=methods, **fields)
        except (TypeError, AttributeError, KeyError) as error:
            raise HandshakeError(
                f"The server at `{self.endpoint}` introduces itself in an unknown way."
            ) from error

    def _complete(
        self,
        request: Request,
        payload: Sequence[Buffer],
        timeout_s: float,
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """Carry one request to its end, over as many connections as it takes."""
        frames = request_frames(request, payload)
        deadline = time.monotonic() + timeout_s
        for attempt in range(RECONNECTS + 1):
            if cancel is not None and cancel.cancelled and not attempt:
                raise CancelledCallError("The call was cancelled before it was sent.")
            try:
                reply, answer = self._exchange(request, frames, deadline, cancel, on_progress)
                break
            except ConnectionLostError as error:
                self._discard_idle()
                if self._closed:
                    raise
                if time.monotonic() >= deadline:
                    raise self._late(request) from error
                if attempt == RECONNECTS:
                    raise self._lost(request) from error
        if reply.kind != "error":
            return decode(answer, self._limits)
        failure = decode_failure(answer)
        if isinstance(failure, ServerRestartedError):
            self._meet_again()
            raise ConnectionLostError(failure.message, hint="Restore its last snapshot or reset it.")
        raise failure

    def _exchange(
        self,
        request: Request,
        frames: Sequence[Buffer],
        deadline: float,
        cancel: CancelToken | None,
        on_progress: OnProgress | None,
    ) -> tuple[Reply, Sequence[Buffer]]:
        """Send the request over one connection and wait for its final reply."""
        withdraw: Callable[[], None] = lambda: None  # noqa: E731
        with self._connection(deadline) as connection:
            connection.send(frames, max(0.1, deadline - time.monotonic()))
            if cancel is not None:
                withdraw = cancel.on_cancel(lambda: self._send_cancel(request.id))
            try:
                return self._await(request, connection, deadline, cancel, on_progress)
            except (TransportError, GeneratorExit):
                raise
            except BaseException:  # the caller's own exception: an interrupt, or `on_progress` raised
                self._send_cancel(request.id)
                raise
            finally:
                withdraw()

    def _await(
        self,
        request: Request,
        connection: Connection,
        deadline: float,
        cancel: CancelToken | None,
        on_progress: OnProgress | None,
    ) -> tuple[Reply, Sequence[Buffer]]:
        give_up = None
        while True:
            left = deadline - time.monotonic()
            frames = connection.receive(max(0.0, left if cancel is None else min(left, _SLICE_S)))
            if frames is not None:
                reply, payload = parse_reply(frames)
                if reply.kind in FINAL_KINDS and reply.id in {request.id, ""}:
                    return reply, payload
                if reply.kind == "progress" and reply.id == request.id and on_progress is not None:
                    on_progress(decode(payload, self._limits))
            now = time.monotonic()
            if cancel is not None and cancel.cancelled:
                give_up = give_up or now + CANCEL_GRACE_S
                if now > give_up:
                    raise CancelledCallError(
                        f"{self._subject(request)} was cancelled and did not end within {CANCEL_GRACE_S:g} s."
                    )
            if now >= deadline:
                raise self._late(request)

    @contextmanager
    def _connection(self, deadline: float) -> Iterator[Connection]:
        """Lend a connection; one that was left in the middle of an exchange is not used again."""
        with self._lock:
            if self._closed:
                raise ConnectionLostError(f"The channel to `{self.endpoint}` is closed.")
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._open_connection(max(0.1, deadline - time.monotonic()))
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._take_back(connection)

    def _take_back(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _discard_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _send_cancel(self, request_id: str) -> None:
        """Cancel from another thread: whoever sets a token must not wait for a server or for our lock."""

        def send() -> None:
            try:
                self._complete(self._request("cancel", request_id), (), CONTROL_TIMEOUT_S)
            except TransportError:
                return  # the call itself notices that the server is gone

        threading.Thread(target=send, daemon=True, name="rpent-cancel").start()

    def _meet_again(self) -> None:
        """Get to know the process that took the place of the one before."""
        before, now = self._info, self._shake_hands(CONTROL_TIMEOUT_S)
        if (now.name, now.schema) != (before.name, before.schema):
            raise HandshakeError(f"`{self.endpoint}` was `{before.name}` and is now `{now.name}`.")
        self._info = now

    def _subject(self, request: Request) -> str:
        return f"`{request.method}`" if request.method else f"The {request.kind} request"

    def _lost(self, request: Request) -> ConnectionLostError:
        if request.kind != "call":
            return ConnectionLostError(f"No server answers at `{self.endpoint}`.", hint="Is it running?")
        return ConnectionLostError(
            f"The connection to `{self._info.name}` at `{self.endpoint}` was lost during `{request.method}`; "
            "whether the call took effect is not known."
        )

    def _late(self, request: Request) -> TransportError:
        if request.kind == "hello":
            return ConnectionLostError(
                f"The server at `{self.endpoint}` did not answer the handshake in time."
            )
        return CallTimeoutError(
            f"{self._subject(request)} got no answer from `{self.endpoint}` in time and may still run.",
            request_id=request.id,
            method=request.method,
        )
