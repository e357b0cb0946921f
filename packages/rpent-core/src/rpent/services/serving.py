"""What the service's process does: build the facade, serve it, stop when told or when the agent is gone."""

from __future__ import annotations

import faulthandler
import os
import select
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from rpent.errors import ExitCode, RpentError, ServiceError
from rpent.services.guardian import report
from rpent.specs import load_object

if TYPE_CHECKING:
    from rpent.rpc.facade import Facade
    from rpent.rpc.transport import Server
    from rpent.services.request import HostJob


class Serving:
    """One service in this process. Everything runs on the thread that calls `run`, as GL contexts want it."""

    def __init__(self, job: HostJob, *, status: int) -> None:
        self._job = job
        self._status = status
        self._server: Server | None = None

    def run(self, lifeline: int) -> int:
        """Serve until the lifeline closes or SIGTERM comes; return the process's exit code."""
        faulthandler.enable(all_threads=False)  # the last lines of the log shall show the crash
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        watch = threading.Thread(
            target=self._watch, args=(lifeline, _sigterm_pipe()), daemon=True, name="lifeline"
        )
        watch.start()
        try:
            server = bind(self._job, build_facade(self._job))
        except Exception as error:  # noqa: BLE001 (whatever a plugin's factory raises is the start-up's failure)
            return self._failed(error)
        self._server = server
        report(self._status, {"event": "listening", "endpoint": str(server.endpoint)})
        try:
            server.run()
        except Exception as error:  # noqa: BLE001
            return self._failed(error)
        return 0

    def _watch(self, lifeline: int, sigterm: int) -> None:
        while True:
            ready = select.select([lifeline, sigterm], [], [])[0]
            if lifeline in ready and not os.read(lifeline, 4096):
                break
            if sigterm in ready and signal.SIGTERM in os.read(sigterm, 4096):
                break
        self._stop()

    def _stop(self) -> None:
        """End serving; before there is a server nothing needs to be closed."""
        if self._server is None:
            os._exit(0)
        self._server.shutdown()

    def _failed(self, error: Exception) -> int:
        if not isinstance(error, RpentError):
            traceback.print_exc()
        message = str(error) if isinstance(error, RpentError) else f"{type(error).__name__}: {error}"
        hint = error.hint if isinstance(error, RpentError) else None
        print(f"failed: {message}", file=sys.stderr, flush=True)  # noqa: T201 (this is the service's log)
        kind = int(getattr(error, "exit_code", ExitCode.INFRASTRUCTURE))
        report(self._status, {"event": "failed", "message": message[:2000], "hint": hint, "exit_code": kind})
        return 1


def _sigterm_pipe() -> int:
    """Turn SIGTERM into bytes on a pipe.

    A Python handler runs on the main thread only, and a signal that comes just before that thread begins to wait for
    calls would be seen after the next one.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    return read


def build_facade(job: HostJob) -> Facade:
    """Validate the configuration and call the service's factory."""
    model = load_object(job.config_model)
    facade: Facade = load_object(job.factory)(model.model_validate(dict(job.config)))
    return facade


def bind(job: HostJob, facade: Facade) -> Server:
    """Serve on the first endpoint whose transport this interpreter has.

    Raises:
        ServiceError: None of the transports can be imported, or the address cannot be bound.
    """
    from rpent.rpc.api import load_transport  # noqa: PLC0415 (the factory's imports come first)
    from rpent.rpc.dispatcher import Dispatcher  # noqa: PLC0415
    from rpent.rpc.endpoint import parse_endpoint  # noqa: PLC0415

    missing = []
    for text in job.bind:
        endpoint = parse_endpoint(text, allow_port_zero=True)
        try:
            transport = load_transport(endpoint.scheme)
        except (ImportError, RpentError) as error:
            missing.append(f"{endpoint.scheme}: {error}")
            continue
        try:
            return transport.serve(endpoint, Dispatcher(facade, token=job.token))
        except BaseException:
            facade.close()
            raise
    raise ServiceError(
        f"No transport works in the service's interpreter ({'; '.join(missing)}).",
        hint="Install `rpent-transport-zmq` or `rpent-transport-http` there.",
    )
