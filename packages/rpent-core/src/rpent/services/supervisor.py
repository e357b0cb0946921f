"""All services of one run: started in parallel, watched, restarted on request, stopped whatever happens."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rpent.errors import ServiceError, UsageError
from rpent.services.attached import AttachedService
from rpent.services.lent import LentService
from rpent.services.owned import owned_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from rpent.services.channel import ServiceChannel
    from rpent.services.owned import OwnedService
    from rpent.services.request import ServiceRequest
    from rpent.services.shared import SharedServices

    Service = OwnedService | AttachedService | LentService


CHECK_S = 0.1
"""How often who waits for services is asked whether to go on."""


class Supervisor:
    """Owns the services of a run.

    Args:
        logs_dir: Each service that is started writes `<service>.log` there.
        on_event: Called with plain data when a service changes state: `service`, `state` (`starting`,
            `loading`, `ready`, `crashed`, `restarting`, `failed`, `stopped`) and, as they are known, `detail`, `pid`,
            `endpoint`, `elapsed_s`, `log_tail`. It is called from several threads; what it raises is ignored.
        run_dir: The run's directory, told to the services as `RPENT_RUN_DIR`.
        shared: Lends the services of scope `shared`, which then outlive the run; without it the run starts its own.
    """

    def __init__(
        self,
        *,
        logs_dir: Path,
        on_event: Callable[[dict[str, Any]], None],
        run_dir: Path | None = None,
        shared: SharedServices | None = None,
    ) -> None:
        self._logs_dir, self._run_dir = logs_dir, run_dir
        self._shared = shared
        self._on_event = on_event
        self._services: dict[str, Service] = {}
        self._channels: dict[str, ServiceChannel] = {}
        self.channels: Mapping[str, ServiceChannel] = MappingProxyType(self._channels)
        """Service name → channel. A channel stays the same object over restarts."""

    def start(self, requests: Sequence[ServiceRequest], *, check: Callable[[], None] = lambda: None) -> None:
        """Start or attach the services in parallel and wait until all are ready.

        When one fails, or the wait is interrupted, the others are stopped before the error goes on.

        Args:
            requests: What is needed.
            check: Called several times a second while services start; what it raises ends the wait.

        Raises:
            ServiceError: A service ended, was not ready in time, or is not the one that was expected.
            EnvironmentSetupError: The interpreter of a service cannot be used.
        """
        added = [self._add(request) for request in requests]
        finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        for service in added:
            threading.Thread(
                target=_into(finished, service.start), daemon=True, name=f"{service.name}-start"
            ).start()
        try:
            for _ in added:
                if (error := _awaited(finished, check)) is not None:
                    raise error
        except BaseException:
            self.stop()
            raise

    def restart(self, name: str) -> None:
        """Start a fresh process of an owned service behind the same channel and wait until it is ready.

        Raises:
            ServiceError: The service is not owned, or did not start.
        """
        self._service(name).restart()

    def owned(self, name: str) -> bool:
        """Whether this run may restart the service: it started it, or has it lent."""
        return not isinstance(self._service(name), AttachedService)

    def lent(self, name: str) -> bool:
        """Whether the service outlives this run."""
        return isinstance(self._service(name), LentService)

    def alive(self, name: str) -> bool:
        """Whether the service is ready; for an attached one, whether it was when it was attached."""
        return self._service(name).alive

    def pid(self, name: str) -> int | None:
        """Return the process id of an owned service that runs."""
        return self._service(name).pid

    def stop(self) -> None:
        """Stop what is owned, with whole process groups, and disconnect from the rest.

        Idempotent. One that cannot be stopped never keeps another from being stopped; nothing is raised.
        """
        services = list(self._services.values())
        finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        for service in services:
            service.abort()
        for service in services:
            threading.Thread(
                target=_into(finished, service.stop), daemon=True, name=f"{service.name}-stop"
            ).start()
        for _ in services:
            if (error := finished.get()) is not None:
                self._emit("", "failed", detail=f"A service could not be stopped: {error}")

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _add(self, request: ServiceRequest) -> Service:
        name = request.spec.name
        if name in self._services:
            raise UsageError(f"Service `{name}` was asked for twice.")
        service = self._services[name] = self._made(request)
        self._channels[name] = service.channel
        return service

    def _made(self, request: ServiceRequest) -> Service:
        shared = self._shared if request.spec.scope == "shared" else None
        if request.endpoint is not None:
            if shared is not None:
                shared.drop(request.spec.name)
            return AttachedService(request, emit=self._emit)
        if shared is not None:
            return shared.lend(request, emit=self._emit)
        variables = {} if self._run_dir is None else {"RPENT_RUN_DIR": str(self._run_dir)}
        return owned_service(request, logs_dir=self._logs_dir, emit=self._emit, variables=variables)

    def _service(self, name: str) -> Service:
        try:
            return self._services[name]
        except KeyError:
            raise ServiceError(
                f"This run has no service `{name}`; it has {_listed(self._services)}."
            ) from None

    def _emit(self, service: str, state: str, **details: Any) -> None:
        with contextlib.suppress(Exception):  # a listener's failure is its own; a watcher must go on
            self._on_event({"service": service, "state": state, "time": time.time(), **details})


def _awaited(
    results: queue.SimpleQueue[BaseException | None], check: Callable[[], None]
) -> BaseException | None:
    """Return the next result."""
    while True:
        check()
        with contextlib.suppress(queue.Empty):
            return results.get(timeout=CHECK_S)


def _into(results: queue.SimpleQueue[BaseException | None], work: Callable[[], None]) -> Callable[[], None]:
    """Wrap `work` so that its end, good or bad, arrives in the queue."""

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (it is raised again by who reads the queue)
            results.put(error)
        else:
            results.put(None)

    return run


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
