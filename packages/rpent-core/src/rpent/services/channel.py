"""A channel that stays the same object while the service behind it dies and comes back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from rpent.errors import CallTimeoutError, ConnectionLostError, HandshakeError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.cancel import CancelToken
    from rpent.rpc.channel import Channel, ServerInfo

_NOTICE_S = 2.0


class ServiceChannel:
    """What toolkits hold. Calls go to the service's present process; without one they fail at once."""

    def __init__(self, name: str, *, watched: bool = True) -> None:
        self.name = name
        self.unanswered = 0
        """How many calls in a row got no answer in time."""
        self._notice_s = _NOTICE_S if watched else 0.0
        self._changed = threading.Condition()
        self._inner: Channel | None = None
        self._error: ServiceError = ServiceError(f"Service `{name}` has not been started.")

    @property
    def info(self) -> ServerInfo:
        """What the present process said at the handshake."""
        return self._present().info

    def call(
        self,
        method: str,
        /,
        *,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
        on_progress: Callable[[Any], None] | None = None,
        **params: Any,
    ) -> Any:
        """Call a method of the service, see `rpent.rpc.Channel.call`.

        Raises:
            ServiceError: The service is not running, or died during the call; then nobody knows whether the
                call took effect.
            CallTimeoutError: The service did not answer within the method's time limit (or `timeout_s`).
        """
        inner = self._present()
        try:
            answer = inner.call(method, timeout_s=timeout_s, cancel=cancel, on_progress=on_progress, **params)
        except CallTimeoutError as error:
            self.unanswered += 1
            raise self._late(inner, method, timeout_s, error) from error
        except (ConnectionLostError, HandshakeError) as error:
            # The transport may notice before the watcher has read the last words, and a process that dies while
            # the transport connects again looks like one that refuses.
            loss = self._loss_of(inner) or error
            loss.service = self.name
            raise loss from error
        self.unanswered = 0
        return answer

    def attach(self, inner: Channel) -> None:
        """Send calls to this channel from now on."""
        with self._changed:
            self._inner = inner
            self.unanswered = 0
            self._changed.notify_all()

    def detach(self, error: ServiceError) -> None:
        """Fail calls with `error` from now on, those under way included."""
        with self._changed:
            inner, self._inner, self._error = self._inner, None, error
            self._changed.notify_all()
        if inner is not None:
            inner.close()

    def close(self) -> None:
        """End the connection; the service itself goes on."""
        self.detach(ServiceError(f"The channel to service `{self.name}` is closed."))

    def _present(self) -> Channel:
        with self._changed:
            if self._inner is None:
                raise self._fresh_error()
            return self._inner

    def _late(
        self, inner: Channel, method: str, timeout_s: float | None, error: CallTimeoutError
    ) -> CallTimeoutError:
        known = inner.info.methods.get(method)
        limit = timeout_s if timeout_s is not None else known.timeout_s if known else None
        within = "in time" if limit is None else f"within {limit:g} s"
        return CallTimeoutError(
            f"Service `{self.name}` did not answer `{method}` {within}.",
            request_id=error.request_id,
            hint=error.hint,
            service=self.name,
            method=method,
        )

    def _loss_of(self, inner: Channel) -> ServiceError | None:
        with self._changed:
            if (
                self._changed.wait_for(lambda: self._inner is not inner, self._notice_s)
                and self._inner is None
            ):
                return self._fresh_error()
        return None

    def _fresh_error(self) -> ServiceError:
        """Return a copy, because a raised exception collects a traceback."""
        error = ServiceError(self._error.message, hint=self._error.hint)
        error.service = self.name
        return error
