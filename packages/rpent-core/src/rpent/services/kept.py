"""A service that outlives runs: started on a thread of its own, so that a run may stop waiting for it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from rpent.services.owned import owned_service

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.services.owned import Emit
    from rpent.services.request import ServiceRequest

ANSWER_S = 10.0
"""How long a service that should run has to answer."""


class KeptService:
    """One shared service and the runs that hear of it.

    Args:
        request: What it was started with.
        logs_dir: Where its log is.
        emit: Hears of its states, whichever run uses it.
        instead_of: Another one of the same name, which is stopped before this one starts.

    Raises:
        EnvironmentSetupError: Its interpreter cannot be used.
    """

    def __init__(
        self,
        request: ServiceRequest,
        *,
        logs_dir: Path,
        emit: Emit,
        instead_of: KeptService | None = None,
    ) -> None:
        self.request, self.name = request, request.spec.name
        self.service = owned_service(request, logs_dir=logs_dir, emit=self._tell)
        self._emit = emit
        self._instead_of = instead_of
        self._lock = threading.Lock()
        self._listeners: tuple[Emit, ...] = ()
        self._work: Future[bool] | None = None

    @property
    def in_use(self) -> bool:
        """Whether a run has it."""
        return bool(self._listeners)

    def hear(self, listener: Emit) -> None:
        """Tell a run of its states from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def unhear(self, listener: Emit) -> None:
        """Tell a run no longer."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each != listener)

    def ensure(self) -> tuple[bool, Future[bool]]:
        """Start it unless it runs and answers.

        Returns:
            Whether its start was under way before, and what to wait for: it says whether the service was running.
        """
        with self._lock:
            if self._work is not None and not self._work.done():
                return True, self._work
            return False, self._begin(self._start_or_look)

    def restart(self) -> Future[bool]:
        """Replace its process, and return what to wait for."""
        with self._lock:
            if self._work is not None and not self._work.done():
                return self._work
            return self._begin(self._restart)

    def abort(self) -> None:
        """Make a start that is under way fail now, and every later one."""
        before = self._instead_of  # a start that is under way forgets it
        self.service.abort()
        if before is not None:
            before.abort()

    def stop(self) -> None:
        """End the process for good. Idempotent."""
        before = self._instead_of
        self.abort()
        if before is not None:
            before.stop()
        self.service.stop()

    def _start_or_look(self) -> bool:
        if self.service.pid is not None:
            return self.service.answers(ANSWER_S) or self._restart()
        if self._instead_of is not None:
            self._instead_of.stop()
            self._instead_of = None
        self.service.start()
        return False

    def _restart(self) -> bool:
        self.service.restart()
        return False

    def _begin(self, work: Callable[[], bool]) -> Future[bool]:
        future: Future[bool] = Future()
        self._work = future

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  (it is raised again by who waits)
                future.set_exception(error)

        threading.Thread(target=run, daemon=True, name=f"{self.name}-shared-start").start()
        return future

    def _tell(self, service: str, state: str, **details: Any) -> None:
        for emit in (self._emit, *self._listeners):
            emit(service, state, **details)
