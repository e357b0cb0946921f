"""A service that somebody else runs (`rpent serve`): the run connects to it and never stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import ServiceError, TransportError
from rpent.services.channel import ServiceChannel
from rpent.services.handshake import connect_checked

if TYPE_CHECKING:
    from rpent.services.owned import Emit
    from rpent.services.request import ServiceRequest

_CONNECT_TIMEOUT_S = 30.0


class AttachedService:
    """Connects to a running service."""

    pid: int | None = None

    def __init__(self, request: ServiceRequest, *, emit: Emit) -> None:
        self.request, self.name = request, request.spec.name
        self.channel = ServiceChannel(self.name, watched=False)
        self.alive = False
        self._emit = emit

    def start(self) -> None:
        """Connect.

        Raises:
            ServiceError: Nothing answers there, or it is another service or version.
        """
        endpoint = self.request.endpoint
        assert endpoint is not None
        self._emit(self.name, "starting", endpoint=endpoint)
        try:
            channel = connect_checked(
                endpoint, self.request, token=self.request.token, timeout_s=_CONNECT_TIMEOUT_S
            )
        except TransportError as error:
            self._emit(self.name, "failed", detail=error.message)
            raise ServiceError(
                f"Service `{self.name}` at `{endpoint}` cannot be used: {error.message}",
                hint=error.hint or f"Check `--{self.name}-endpoint`, and that `rpent serve` runs there.",
            ) from error
        self.channel.attach(channel)
        self.alive = True
        self._emit(self.name, "ready", endpoint=endpoint)

    def restart(self) -> None:
        """Refuse: the process belongs to somebody else.

        Raises:
            ServiceError: Always.
        """
        raise ServiceError(
            f"Service `{self.name}` at `{self.request.endpoint}` is not this run's and cannot be restarted.",
            hint="Restart its `rpent serve`, then `rpent resume` this run.",
        )

    def abort(self) -> None:
        """Do nothing: connecting has a time limit of its own."""

    def stop(self) -> None:
        """Disconnect. Idempotent."""
        if self.alive:
            self.alive = False
            self.channel.close()
            self._emit(self.name, "stopped")
