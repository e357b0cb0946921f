"""A service that this run started: from launch to readiness to its end, as often as it is restarted."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rpent.environments.interpreter import choose
from rpent.errors import ServiceError, TransportError
from rpent.services.addresses import local_endpoints
from rpent.services.channel import ServiceChannel
from rpent.services.handshake import connect_checked
from rpent.services.log import ServiceLog
from rpent.services.process import ProcessEnd, ServiceProcess
from rpent.services.request import HostJob
from rpent.services.tokens import new_token
from rpent.suggest import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.environments.interpreter import Interpreter
    from rpent.services.request import ServiceRequest

_LOOK_S = 0.5
"""How often a service that starts is asked what it does."""


class Emit(Protocol):
    """Where a service says what happens to it."""

    def __call__(self, service: str, state: str, **details: Any) -> None:
        """Report a state: `starting`, `loading`, `ready`, `crashed`, `restarting`, `failed`, `stopped`."""


class _Life:
    """One process of the service: what is known of it, and a condition for who waits."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.endpoint: str | None = None
        self.end: ProcessEnd | None = None
        self.ready = False
        self.unwanted = False
        """True once somebody decided to end it, so that its end is no crash."""

    def tell(self, **values: Any) -> None:
        with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()

    def tell_ready(self) -> ProcessEnd | None:
        """Count it as ready unless it has ended: its end is seen either by who starts it or as a crash."""
        with self.changed:
            self.ready = self.end is None
            return self.end

    def wait_listening(self, timeout_s: float) -> bool:
        with self.changed:
            known = self.changed.wait_for(lambda: self.endpoint or self.end or self.unwanted, timeout_s)
            return bool(known)


class OwnedService:
    """Starts, watches, restarts and stops one service of this run."""

    def __init__(
        self, request: ServiceRequest, interpreter: Interpreter, *, logs_dir: Path, emit: Emit
    ) -> None:
        self.request, self.name = request, request.spec.name
        self.channel = ServiceChannel(self.name)
        self._interpreter = interpreter
        self._log = ServiceLog(logs_dir / f"{self.name}.log")
        self._emit = emit
        self._token = request.token or new_token()
        self._transition = threading.RLock()
        self._life = _Life()
        self._process: ServiceProcess | None = None
        self._sockets: str | None = None
        self._closed = False

    @property
    def alive(self) -> bool:
        """Whether the process runs and was ready."""
        return self._process is not None and self._process.alive and self._life.ready

    @property
    def _hung(self) -> bool:
        """Whether it left its last call unanswered; to ask it politely would be in vain."""
        return self.channel.unanswered > 0

    @property
    def pid(self) -> int | None:
        """The service's process (not its guardian's)."""
        return None if self._process is None else self._process.host_pid

    @property
    def endpoint(self) -> str | None:
        """Where the present process listens."""
        return self._life.endpoint

    @property
    def python(self) -> str:
        """The interpreter that it runs with."""
        return self._interpreter.python

    def answers(self, timeout_s: float) -> bool:
        """Whether it is ready and answers to its name now; its process may have ended a moment ago."""
        endpoint = self.endpoint
        if endpoint is None or not self.alive or self._hung:
            return False
        try:
            connect_checked(endpoint, self.request, token=self._token, timeout_s=timeout_s).close()
        except TransportError:
            return False
        return self.alive

    def start(self) -> None:
        """Launch the process and wait until it is ready.

        Raises:
            ServiceError: It ended, or was not ready in time; the hint holds its last log lines.
        """
        with self._transition:
            self._bring_up("starting")

    def restart(self) -> None:
        """End the process if there is one, and start a fresh one behind the same channel.

        Raises:
            ServiceError: As `start`.
        """
        with self._transition:
            self._take_down(
                grace_s=2.0 if self.alive and not self._hung else 0.0, reason="is being restarted"
            )
            self._bring_up("restarting")

    def abort(self) -> None:
        """Make a start that is under way in another thread fail now."""
        self._closed = True
        self._life.tell(unwanted=True)

    def stop(self) -> None:
        """End the process and everything that it started. Idempotent."""
        self.abort()
        with self._transition:
            was_there = self._process is not None
            self._take_down(grace_s=0.0 if self._hung else None, reason="was stopped")
            if was_there:
                self._emit(self.name, "stopped")

    def _bring_up(self, state: str) -> None:
        if self._closed:
            raise ServiceError(f"Service `{self.name}` was stopped.")
        started = time.monotonic()
        self._emit(self.name, state, python=self._interpreter.python)
        try:
            self._launch()
            self._await_ready(started + self.request.spec.ready_timeout_s)
        except BaseException as error:
            self._take_down(grace_s=0.0, reason="did not start")
            self._emit(self.name, "failed", detail=str(error))
            raise
        self._emit(
            self.name,
            "ready",
            pid=self.pid,
            endpoint=self._life.endpoint,
            elapsed_s=round(time.monotonic() - started, 3),
        )

    def _launch(self) -> None:
        life = self._life = _Life()
        # Under /tmp whatever TMPDIR says: the path of a socket is limited to about 100 bytes.
        self._sockets = tempfile.mkdtemp(prefix="rpent-", dir="/tmp" if Path("/tmp").is_dir() else None)  # noqa: S108
        spec = self.request.spec
        job = HostJob(
            name=self.name,
            factory=spec.factory,
            config_model=spec.config,
            config=self.request.config,
            token=self._token,
            bind=tuple(local_endpoints(Path(self._sockets), self.name, self.request.transport)),
            cleanup=(self._sockets,),
        )
        self._process = ServiceProcess(
            job,
            python=self._interpreter.python,
            environment=self._interpreter.environ(spec.variables(os.environ)),
            log=self._log.open(),
            on_listening=lambda endpoint: life.tell(endpoint=endpoint),
            on_end=lambda end: self._ended(life, end),
        )

    def _await_ready(self, deadline: float) -> None:
        life, spec = self._life, self.request.spec
        self._await_listening(life, deadline)
        if life.unwanted:
            raise ServiceError(f"The start of service `{self.name}` was given up.")
        if life.end is not None:
            raise self._start_failure(life.end)
        if life.endpoint is None:
            raise self._failure(f"was not ready within {spec.ready_timeout_s:g} s")
        try:
            channel = connect_checked(
                life.endpoint,
                self.request,
                token=self._token,
                timeout_s=max(1.0, deadline - time.monotonic()),
            )
        except TransportError as error:
            if life.end is not None:
                raise self._start_failure(life.end) from error
            raise self._failure(f"started but cannot be used: {error.message}", error.hint) from error
        self.channel.attach(channel)
        if (end := life.tell_ready()) is not None:
            self.channel.detach(ServiceError(f"Service `{self.name}` ended."))
            raise self._start_failure(end)

    def _await_listening(self, life: _Life, deadline: float) -> None:
        """Wait until it listens, or there is nothing to wait for; tell meanwhile what it says that it does."""
        known = False
        while not known and (left := deadline - time.monotonic()) > 0:
            known = life.wait_listening(min(left, _LOOK_S))
            if (doing := self._log.loading()) is not None:
                self._emit(self.name, "loading", detail=doing)

    def _ended(self, life: _Life, end: ProcessEnd) -> None:
        life.tell(end=end)
        if life.ready and not life.unwanted and life is self._life:
            what = f"{end.describe()}{': ' + end.message if end.message else ''}"
            error = self._failure(what, end.hint)
            self._emit(self.name, "crashed", detail=error.message, log_tail=self._log.tail(40))
            self.channel.detach(error)

    def _take_down(self, *, grace_s: float | None, reason: str) -> None:
        process, self._process = self._process, None
        self._life.tell(unwanted=True)
        self.channel.detach(ServiceError(f"Service `{self.name}` {reason}."))
        if process is not None:
            process.stop(grace_s=grace_s)
        if self._sockets is not None:  # the guardian does it too, for an agent that was killed
            shutil.rmtree(self._sockets, ignore_errors=True)

    def _start_failure(self, end: ProcessEnd) -> ServiceError:
        what = f"did not start: {end.message}" if end.message else f"{end.describe()} while starting"
        error = self._failure(what, end.hint)
        error.exit_code = end.exit_code  # a wrong value stays the user's mistake, although a service found it
        return error

    def _failure(self, what: str, hint: str | None = None) -> ServiceError:
        """Return the error that names the service, with its last log lines in the hint."""
        parts = [hint] if hint else []
        if tail := self._log.tail():
            title = f"The last lines of `{self._log.path.parent.name}/{self._log.path.name}`:"
            parts.append("\n  | ".join([title, *tail]))
        return ServiceError(sentence(f"Service `{self.name}` {what}"), hint="\n".join(parts) or None)


def owned_service(
    request: ServiceRequest, *, logs_dir: Path, emit: Emit, variables: Mapping[str, str] | None = None
) -> OwnedService:
    """Choose the interpreter of a service that is to be started.

    Args:
        request: What is needed.
        logs_dir: Where its log is.
        emit: Hears of its states.
        variables: Further environment variables of the process.

    Raises:
        EnvironmentSetupError: The interpreter cannot be used.
    """
    interpreter = choose(
        request.spec.environment,
        python=request.python,
        distribution=request.distribution,
        alternatives=request.spec.alternatives,
    )
    for name, value in (variables or {}).items():
        interpreter = interpreter.with_variable(name, value)
    return OwnedService(request, interpreter, logs_dir=logs_dir, emit=emit)
