"""The server's side of every transport: who may call, what exists, what runs, what is kept.

Two kinds of thread meet here. A transport's own thread hands in frames (`receive`), and everything but a
call is answered on it at once. Calls run on the thread that called `run`, one after another, because GL
contexts belong to a thread; methods marked `concurrent` run on a pool beside it.
"""

from __future__ import annotations

import difflib
import hmac
import logging
import queue
import threading
import uuid
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from rpent.errors import CancelledCallError, FrameError, RpentError
from rpent.rpc.calls import Call, CallTable, Sink
from rpent.rpc.codec import DEFAULT_LIMITS, Limits, check_size, decode, encode
from rpent.rpc.facade import CallContext
from rpent.rpc.failures import (
    AccessError,
    BusyError,
    ServerRestartedError,
    ServerStoppingError,
    UnknownMethodError,
    UnknownRequestError,
    encode_failure,
)
from rpent.rpc.messages import Reply, Request, parse_request
from rpent.rpc.parameters import Parameters
from rpent.rpc.pool import DaemonPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.rpc.codec import Buffer
    from rpent.rpc.facade import Facade

MAX_WAITING_CALLS = 256
POOL_THREADS = 8
POOL_GRACE_S = 5.0
"""How long concurrent calls may take to end when the server does."""
WAKE_S = 1.0
"""How often a thread that waits looks up: a signal that came just before the wait interrupts nothing."""

_log = logging.getLogger(__name__)


class Dispatcher:
    """Serves one facade. A transport feeds it; `run` executes.

    Args:
        facade: The method table.
        token: What every client must present.
        limits: Bounds of one message.
    """

    def __init__(self, facade: Facade, *, token: str, limits: Limits = DEFAULT_LIMITS) -> None:
        if not token:
            raise ValueError("A server needs a token.")
        self.facade = facade
        self.limits = limits
        self.token = token
        self.instance = uuid.uuid4().hex
        self._parameters = {name: Parameters.of(method.handler) for name, method in facade.methods.items()}
        self._welcome = encode(self._describe(), limits)
        self._calls = CallTable()
        self._queue: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._pool = DaemonPool(POOL_THREADS, name="rpent-call")
        self._running = ""
        self._stopping = False

    def authorised(self, token: str) -> bool:
        """Whether this is the server's token, in constant time."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode("utf-8", "replace"))

    def receive(self, frames: Sequence[Buffer], sink: Sink, *, authorised: bool = False) -> None:
        """Take one message; answers go to `sink`. Never raises, whatever the frames hold.

        Args:
            frames: Envelope and payload.
            sink: Where replies go.
            authorised: The transport has checked the token already.
        """
        try:
            request, payload = parse_request(frames)
        except FrameError as error:
            sink(Reply(kind="error", id=""), encode_failure(error))
            return
        try:
            if not authorised and not self.authorised(request.token):
                raise AccessError("The server refuses the token.")
            check_size(payload, self.limits)
            self._answer(request, payload, sink)
        except RpentError as error:
            sink(Reply(kind="error", id=request.id), encode_failure(error))

    def run(self, move_messages: Callable[[], None] | None = None) -> None:
        """Execute calls on this thread until `stop`, then close the facade.

        Args:
            move_messages: Called when no call waits; returns when the transport took something in, or when it
                was woken. It saves a transport the way to another thread and back. None: wait for `receive`.
        """
        try:
            while (call := self._next_call(move_messages)) is not None:
                self._execute(call)
        finally:
            self._stopping = True
            self._end_calls()
            if not self._pool.shutdown(POOL_GRACE_S):
                _log.warning("a concurrent call of `%s` is left behind", self.facade.name)
            self._close_facade()

    @property
    def has_waiting_calls(self) -> bool:
        """Whether `run` has something to do."""
        return not self._queue.empty()

    def stop(self) -> None:
        """End `run`: cancel what runs, refuse what waits. Safe from a signal handler."""
        self._stopping = True
        self._queue.put(None)
        # A signal handler may have interrupted a holder of the table's lock, so another thread must take it.
        threading.Thread(target=self._end_calls, daemon=True, name="rpent-stop").start()

    def _next_call(self, move_messages: Callable[[], None] | None) -> Call | None:
        while move_messages is not None:
            try:
                return self._queue.get_nowait()
            except queue.Empty:
                move_messages()
        while True:
            try:
                return self._queue.get(timeout=WAKE_S)
            except queue.Empty:
                continue

    def _describe(self) -> dict[str, Any]:
        facade = self.facade
        methods = {
            name: {"timeout_s": method.timeout_s, "concurrent": method.concurrent, "summary": method.summary}
            for name, method in facade.methods.items()
        }
        return {
            "name": facade.name,
            "version": facade.version,
            "schema": facade.schema,
            "instance": self.instance,
            "methods": methods,
            "info": dict(facade.info),
        }

    def _answer(self, request: Request, payload: Sequence[Buffer], sink: Sink) -> None:
        if request.kind == "call":
            self._accept(request, payload, sink)
        elif request.kind == "result":
            call = self._calls.get(request.id)
            if call is None or not self._calls.attach(call, sink, progress=request.progress):
                raise UnknownRequestError(f"The server has no result for the request `{request.id[:64]}`.")
        elif request.kind == "cancel":
            self._cancel(request.id)
            sink(Reply(kind="done", id=request.id), encode(None))
        elif request.kind == "ping":
            sink(Reply(kind="pong", id=request.id), encode(self._status()))
        else:
            sink(Reply(kind="welcome", id=request.id), self._welcome)

    def _accept(self, request: Request, payload: Sequence[Buffer], sink: Sink) -> None:
        if request.instance not in {"", self.instance}:
            raise ServerRestartedError(
                f"`{self.facade.name}` was restarted since the last call; its state is new."
            )
        method = self.facade.methods.get(request.method)
        if method is None:
            raise self._unknown_method(request.method)
        call = Call(request.id, request.method, payload, sink, request.progress)
        if self._stopping:
            raise self._stopping_error()
        if self._queue.qsize() >= MAX_WAITING_CALLS and self._calls.get(request.id) is None:
            raise BusyError(f"`{self.facade.name}` has {MAX_WAITING_CALLS} calls waiting and takes no more.")
        if not self._calls.begin(call):
            return
        if call.cancel.cancelled:
            self._cancel(call.id)
        elif method.concurrent:
            self._submit(call)
        else:
            self._queue.put(call)

    def _submit(self, call: Call) -> None:
        try:
            self._pool.submit(partial(self._execute, call))
        except RuntimeError:  # the pool was shut down since we looked
            self._calls.finish(call, "error", encode_failure(self._stopping_error()))

    def _stopping_error(self) -> ServerStoppingError:
        return ServerStoppingError(f"`{self.facade.name}` is shutting down.")

    def _cancel(self, request_id: str) -> None:
        call = self._calls.cancel(request_id)
        if call is not None and call.state == "queued":
            self._calls.start(call)
            error = CancelledCallError(f"`{call.method}` was cancelled before it started.")
            self._calls.finish(call, "error", encode_failure(error))

    def _execute(self, call: Call) -> None:
        payload = self._calls.start(call)
        if payload is None:
            return
        method = self.facade.methods[call.method]
        if not method.concurrent:
            self._running = call.method
        try:
            self._conclude(call, lambda: self._result(call, payload))
        finally:
            if not method.concurrent:
                self._running = ""

    def _result(self, call: Call, payload: Sequence[Buffer]) -> Any:
        params = decode(payload, self.limits)
        self._parameters[call.method].check(call.method, params)
        context = CallContext(call.id, call.cancel, lambda value: self._report(call, value))
        return self.facade.methods[call.method].handler(context, **params)

    def _conclude(self, call: Call, outcome: Callable[[], Any]) -> None:
        """Answer the call with what `outcome` returns or raises; a future is answered when it is done."""
        try:
            result = outcome()
            if isinstance(result, Future):
                result.add_done_callback(lambda future: self._conclude(call, future.result))
            else:
                self._calls.finish(call, "result", encode(result, self.limits))
        except CancelledCallError as error:
            answer = self._stopping_error() if self._stopping else error
            self._calls.finish(call, "error", encode_failure(answer))
        except RpentError as error:
            self._calls.finish(call, "error", encode_failure(error))
        except Exception as error:  # noqa: BLE001  (a bug in a handler is its caller's answer)
            _log.exception("`%s` failed", call.method)
            self._calls.finish(call, "error", encode_failure(error, doing=f"`{call.method}`"))
        except BaseException:
            self._calls.finish(call, "error", encode_failure(self._stopping_error()))
            raise

    def _report(self, call: Call, value: Any) -> None:
        if call.progress and call.state == "running":
            call.sink(Reply(kind="progress", id=call.id), encode(value, self.limits))

    def _status(self) -> dict[str, Any]:
        return {"running": self._running, "waiting": self._queue.qsize(), "stopping": self._stopping}

    def _unknown_method(self, name: str) -> UnknownMethodError:
        near = difflib.get_close_matches(name[:80], self.facade.methods, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else f"It has: {', '.join(sorted(self.facade.methods))}."
        return UnknownMethodError(f"`{self.facade.name}` has no method `{name[:80]}`.", hint=hint)

    def _end_calls(self) -> None:
        for call in self._calls.unfinished():
            call.cancel.cancel("the server is shutting down")
            if call.state == "queued":
                self._calls.finish(call, "error", encode_failure(self._stopping_error()))

    def _close_facade(self) -> None:
        try:
            self.facade.close()
        except Exception:  # noqa: BLE001  (closing is the last thing that happens)
            _log.exception("closing `%s` failed", self.facade.name)
