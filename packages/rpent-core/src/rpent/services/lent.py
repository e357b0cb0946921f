"""A shared service as one run sees it: the run uses it, restarts it where it fails, and gives it back at its end."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from contextlib import suppress
from typing import TYPE_CHECKING

from rpent.errors import ServiceError

if TYPE_CHECKING:
    from rpent.services.channel import ServiceChannel
    from rpent.services.kept import KeptService
    from rpent.services.owned import Emit

KEPT = "It has been running since an earlier run."
JOINED = "Its start began with an earlier run."


class LentService:
    """Stands among a run's own services; what it stands for outlives the run.

    Args:
        kept: The service.
        emit: Hears of its states until `stop`.
    """

    def __init__(self, kept: KeptService, *, emit: Emit) -> None:
        self.name = kept.name
        self._kept = kept
        self._emit = emit
        self._returned: Future[bool] = Future()
        """Done once the run no longer waits for anything."""
        kept.hear(emit)

    @property
    def channel(self) -> ServiceChannel:
        """The same for every run that uses the same process, and over restarts."""
        return self._kept.service.channel

    @property
    def alive(self) -> bool:
        """Whether the process runs and was ready."""
        return self._kept.service.alive

    @property
    def pid(self) -> int | None:
        """The service's process."""
        return self._kept.service.pid

    def start(self) -> None:
        """Use what runs, or have it started, and wait until it is ready.

        Raises:
            ServiceError: It did not start, or the run ends.
        """
        joined, ready = self._kept.ensure()
        if joined:
            self._emit(self.name, "starting", detail=JOINED)
        if self._wait(ready):
            service = self._kept.service
            self._emit(
                self.name,
                "ready",
                pid=service.pid,
                endpoint=service.endpoint,
                python=service.python,
                detail=KEPT,
            )

    def restart(self) -> None:
        """Have a fresh process started behind the same channel and wait until it is ready.

        Raises:
            ServiceError: It did not start, or the run ends.
        """
        if not self._returned.done():
            self._wait(self._kept.restart())
            return
        raise self._given_back()

    def abort(self) -> None:
        """End the waiting; a start that is under way goes on for the next run."""
        with suppress(InvalidStateError):  # it was given back before
            self._returned.set_result(False)

    def stop(self) -> None:
        """Give it back; it goes on. Idempotent."""
        self.abort()
        self._kept.unhear(self._emit)

    def _wait(self, ready: Future[bool]) -> bool:
        done, _ = wait((ready, self._returned), return_when=FIRST_COMPLETED)
        if ready not in done:
            raise self._given_back()
        return ready.result()

    def _given_back(self) -> ServiceError:
        return ServiceError(f"The run no longer waits for service `{self.name}`.")
