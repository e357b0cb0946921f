"""Services of scope `shared`: started once, lent to one run after another, stopped by whoever keeps them."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any

from rpent.errors import ServiceError
from rpent.services.kept import KeptService
from rpent.services.lent import LentService

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.services.owned import Emit
    from rpent.services.request import ServiceRequest


class SharedServices:
    """Keeps the shared services of several runs: `execute(request, shared=services)`.

    Nothing is started before a run asks for it. Like a run's own services they end with this process, however it ends.

    Args:
        logs_dir: Each service that is started writes `<service>.log` there.
        on_event: Called as a supervisor's is, with plain data when a service changes state: `service`, `state`,
            `time` and more. It is called from several threads; what it raises is ignored.
    """

    def __init__(self, logs_dir: Path, on_event: Callable[[dict[str, Any]], None] | None = None) -> None:
        self._logs_dir = logs_dir
        self._on_event = on_event
        self._lock = threading.Lock()
        self._kept: dict[str, KeptService] = {}
        self._closed = False

    def lend(self, request: ServiceRequest, *, emit: Emit) -> LentService:
        """Return the service for one run; it is started, where it must be, by the returned one's `start`.

        One that was started with another request is replaced.

        Args:
            request: What the run needs.
            emit: Hears of the service's states as long as the run has it.

        Raises:
            ServiceError: The services were closed, or another run uses one that was started otherwise.
            EnvironmentSetupError: The interpreter of the service cannot be used.
        """
        name = request.spec.name
        with self._lock:
            if self._closed:
                raise ServiceError(f"Service `{name}` cannot be had: the shared services were closed.")
            kept = self._kept.get(name)
            if kept is None or kept.request != request:
                kept = self._kept[name] = self._fresh(request, kept)
            return LentService(kept, emit=emit)

    def drop(self, name: str) -> None:
        """Stop a service that the next runs have no use for, unless a run has it."""
        with self._lock:
            kept = self._kept.get(name)
            if kept is None or kept.in_use:
                return
            del self._kept[name]
        kept.stop()

    def close(self) -> None:
        """Stop everything, with whole process groups. Idempotent; nothing is raised."""
        with self._lock:
            self._closed = True
            services = list(self._kept.values())
        for service in services:
            service.abort()
        threads = [threading.Thread(target=self._stop, args=(service,)) for service in services]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def __enter__(self) -> SharedServices:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fresh(self, request: ServiceRequest, before: KeptService | None) -> KeptService:
        if before is not None and before.in_use:
            raise ServiceError(
                f"Service `{before.name}` is in use by another run, which needs it otherwise than this one.",
                hint="Let that run end first.",
            )
        return KeptService(request, logs_dir=self._logs_dir, emit=self._emit, instead_of=before)

    def _stop(self, service: KeptService) -> None:
        try:
            service.stop()
        except Exception as error:  # noqa: BLE001  (the others must be stopped)
            self._emit(service.name, "failed", detail=f"It could not be stopped: {error}")

    def _emit(self, service: str, state: str, **details: Any) -> None:
        if self._on_event is not None:
            with contextlib.suppress(Exception):  # a listener's failure is its own
                self._on_event({"service": service, "state": state, "time": time.time(), **details})
