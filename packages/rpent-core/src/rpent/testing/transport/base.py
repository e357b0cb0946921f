"""What all parts of the contract share: a running server, channels to it, raw connections."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from rpent.cancel import CancelToken
from rpent.rpc.channel import RpcChannel
from rpent.rpc.codec import DEFAULT_LIMITS, Limits
from rpent.rpc.endpoint import Endpoint, parse_endpoint
from rpent.specs import load_object
from rpent.testing.transport.service import TOKEN, ContractService, make_dispatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rpent.rpc.transport import Connection, Server, Transport

_SERVE = "import sys; from rpent.testing.transport.service import main; main(*sys.argv[1:])"
_ABANDON = "import sys; from rpent.testing.transport.service import abandon; abandon(*sys.argv[1:])"


class Running:
    """A server that runs on a thread of its own, as it does on the main thread of a service's process."""

    def __init__(self, server: Server, service: ContractService) -> None:
        self.server = server
        self.service = service
        self.thread = threading.Thread(target=server.run, name="contract-server", daemon=True)
        self.thread.start()

    @property
    def endpoint(self) -> Endpoint:
        """Where it really listens."""
        return self.server.endpoint

    def stop(self) -> None:
        """Shut it down and wait for its end."""
        self.server.shutdown()
        self.service.released.set()
        self.thread.join(20)
        assert not self.thread.is_alive(), "The server did not end after `shutdown`."


class TransportCase:
    """Set `transport` and `endpoint` in a subclass."""

    transport: ClassVar[str]
    """Import string of the transport's class."""
    crosses_processes: ClassVar[bool] = True
    """False for a transport that stays in one process."""

    def endpoint(self, tmp_path: Path) -> str:
        """Return a free local endpoint (port 0 is fine)."""
        raise NotImplementedError

    def make_transport(self) -> Transport:
        """Return the transport."""
        transport: Transport = load_object(self.transport)()
        return transport

    @contextmanager
    def serving(
        self, where: Endpoint | str, limits: Limits = DEFAULT_LIMITS, **changes: Any
    ) -> Iterator[Running]:
        """Run a server; `changes` replace fields of the facade."""
        service = ContractService()
        if isinstance(where, str):
            where = parse_endpoint(where, allow_port_zero=True)
        running = Running(
            self.make_transport().serve(where, make_dispatcher(service, limits, **changes)), service
        )
        try:
            yield running
        finally:
            running.stop()

    @contextmanager
    def serving_process(self, where: str) -> Iterator[tuple[subprocess.Popen[str], Endpoint]]:
        """Run a server in a process of its own, which the test may kill."""
        command = [sys.executable, "-c", _SERVE, self.transport, where]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process, parse_endpoint(process.stdout.readline())
            finally:
                process.kill()

    def abandoning_process(self, where: str) -> subprocess.CompletedProcess[str]:
        """Run a process that ends with a server, a client and calls still there."""
        command = [sys.executable, "-c", _ABANDON, self.transport, where]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def connect(self, endpoint: Endpoint, *, token: str = TOKEN) -> RpcChannel:
        """Connect a channel."""
        channel = self.make_transport().connect(endpoint, token=token, timeout_s=20)
        assert isinstance(channel, RpcChannel), (
            "A transport's `connect` returns an `rpent.rpc.channel.RpcChannel`."
        )
        return channel

    @pytest.fixture
    def running(self, tmp_path: Path) -> Iterator[Running]:
        """A running server."""
        with self.serving(self.endpoint(tmp_path)) as running:
            yield running

    @pytest.fixture
    def channel(self, running: Running) -> Iterator[RpcChannel]:
        """A channel to it."""
        channel = self.connect(running.endpoint)
        yield channel
        channel.close()


def raw_connection(channel: RpcChannel) -> Connection:
    """Open a connection of the channel's kind, to send what a channel never would."""
    return channel._open_connection(20)


class Background:
    """A call on a thread of its own, known to be under way when the constructor returns."""

    def __init__(
        self, channel: RpcChannel, method: str, cancel: CancelToken | None = None, **params: Any
    ) -> None:
        self.cancel = cancel or CancelToken()
        self.value: Any = None
        self.error: BaseException | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(channel, method, params), daemon=True)
        self._thread.start()
        assert self._started.wait(20), f"`{method}` did not report that it started: {self.error}"

    def join(self) -> Background:
        """Wait for the end of the call."""
        self._thread.join(25)
        assert not self._thread.is_alive(), "The call did not end."
        return self

    def _run(self, channel: RpcChannel, method: str, params: dict[str, Any]) -> None:
        report: Callable[[Any], None] = lambda _value: self._started.set()  # noqa: E731
        try:
            self.value = channel.call(method, timeout_s=60, cancel=self.cancel, on_progress=report, **params)
        except Exception as error:  # noqa: BLE001  (the test looks at it)
            self.error = error
        finally:
            self._started.set()
