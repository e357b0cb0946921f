"""What a service offers: an explicit table of methods. Nothing is ever looked up by attribute name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rpent.errors import CancelledCallError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class CallContext:
    """Handed to every handler as its first argument: the call's identity, cancellation and progress."""

    request_id: str
    cancel: CancelToken
    report: Callable[[Any], None]
    """Streams plain data to the caller's `on_progress` while the call runs."""

    def raise_if_cancelled(self) -> None:
        """Raise `CancelledCallError` when the caller cancelled; control loops call it at every step."""
        if self.cancel.cancelled:
            raise CancelledCallError("The call was cancelled.")


class Handler(Protocol):
    """`handler(call, **params) -> plain data`. Unknown or missing parameters never reach it."""

    def __call__(self, call: CallContext, /, **params: Any) -> Any:
        """Carry out the call.

        Arrays in the parameters are read-only. An array in the result is handed over: the handler does not
        write to it afterwards. A handler may return a `concurrent.futures.Future`: the call is answered when that
        is done, and holds no thread until then.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """One entry of a facade's table."""

    handler: Callable[..., Any]
    timeout_s: float = 60.0
    """What a client waits by default."""
    concurrent: bool = False
    """True: may run beside other calls, on a pool. False: on the service's one worker thread, in order."""
    summary: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facade:
    """A service's name, version and methods."""

    name: str
    """`libero/env`: checked by clients at the handshake."""
    version: str
    """The version of the distribution that serves it; a client of another minor version is refused."""
    methods: Mapping[str, Method]
    schema: int = 1
    """The version of the method contract; clients require equality."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Plain data that the handshake returns (suite, task, camera names, ...)."""
    close: Callable[[], None] = lambda: None
    """Releases the simulator or model; called once, on the worker thread."""
