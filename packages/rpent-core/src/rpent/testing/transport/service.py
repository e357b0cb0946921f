"""The service that the contract calls: methods that make every rule of the RPC visible."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import CallTimeoutError, CancelledCallError, ToolError
from rpent.rpc.codec import DEFAULT_LIMITS, Limits
from rpent.rpc.dispatcher import Dispatcher
from rpent.rpc.endpoint import parse_endpoint
from rpent.rpc.facade import Facade, Method
from rpent.specs import load_object

if TYPE_CHECKING:
    from rpent.rpc.facade import CallContext

NAME, VERSION, SCHEMA = "contract/env", "1.2.3", 7
TOKEN = "contract-token-0123456789abcdef"  # noqa: S105  (of a test)
TICK_S = 0.005
LONGEST_S = 30.0
"""No handler waits longer, so that a failing test ends."""


class ContractService:
    """Counts what is executed, and waits where a test wants a call to be under way."""

    def __init__(self) -> None:
        self.count = 0
        self.threads: set[int] = set()
        self.closed = 0
        self.released = threading.Event()
        self.promises: list[tuple[Future[Any], Any]] = []

    def facade(self, **changes: Any) -> Facade:
        """Return the method table."""
        methods = {
            "echo": Method(handler=self.echo, summary="Returns its value."),
            "add": Method(handler=self.add),
            "hold": Method(handler=self.hold, timeout_s=LONGEST_S),
            "release": Method(handler=self.release, concurrent=True),
            "promise": Method(handler=self.promise, timeout_s=LONGEST_S, concurrent=True),
            "keep_promises": Method(handler=self.keep_promises, concurrent=True),
            "move": Method(handler=self.move, timeout_s=LONGEST_S),
            "count_up": Method(handler=self.count_up),
            "zeros": Method(handler=self.zeros),
            "break_down": Method(handler=self.break_down),
            "refuse": Method(handler=self.refuse),
            "give_object": Method(handler=self.give_object),
            "process_id": Method(handler=self.process_id),
        }
        fields: dict[str, Any] = {
            "name": NAME,
            "version": VERSION,
            "schema": SCHEMA,
            "info": {"task": "contract", "cameras": ["front"]},
            "close": self.close,
        }
        return Facade(methods=methods, **(fields | changes))

    def echo(self, call: CallContext, value: Any) -> Any:  # noqa: ARG002
        """Return the value."""
        self.threads.add(threading.get_ident())
        return value

    def add(self, call: CallContext, amount: int = 1) -> int:  # noqa: ARG002
        """Add to the count and return it."""
        self.count += amount
        return self.count

    def hold(self, call: CallContext) -> int:
        """Add to the count, report that, and wait for `release` (or a cancel)."""
        self.count += 1
        call.report("started")
        for _ in range(int(LONGEST_S / TICK_S)):
            if self.released.is_set() or call.cancel.wait(TICK_S):
                break
        return self.count

    def release(self, call: CallContext) -> None:  # noqa: ARG002
        """End `hold`."""
        self.released.set()

    def promise(self, call: CallContext, value: Any) -> Future[Any]:
        """Return the value when `keep_promises` is called; fail then where it is None."""
        future: Future[Any] = Future()
        self.promises.append((future, value))
        call.report("started")
        call.cancel.on_cancel(lambda: future.set_exception(CancelledCallError("It was cancelled.")))
        return future

    def keep_promises(self, call: CallContext) -> int:  # noqa: ARG002
        """Keep the promises in the order in which they were made; return how many."""
        promises, self.promises = self.promises, []
        for future, value in promises:
            if future.done():
                continue
            if value is None:
                future.set_exception(ToolError("Nothing can be promised."))
            else:
                future.set_result(value)
        return len(promises)

    def move(self, call: CallContext) -> None:
        """Do nothing, as a control loop does it, until the call is cancelled."""
        call.report("started")
        for _ in range(int(LONGEST_S / TICK_S)):
            call.raise_if_cancelled()
            call.cancel.wait(TICK_S)

    def count_up(self, call: CallContext, number: int) -> int:
        """Report 0, 1, ..., each with an array; return the number."""
        for index in range(number):
            call.report({"index": index, "frame": np.full((40, 40), index)})
        return number

    def zeros(self, call: CallContext, size: int) -> Any:  # noqa: ARG002
        """Return that many zero bytes as an array."""
        return np.zeros(size, np.uint8)

    def break_down(self, call: CallContext) -> None:  # noqa: ARG002
        """Fail as a bug does."""
        raise ZeroDivisionError("one over nothing")

    def refuse(self, call: CallContext) -> None:  # noqa: ARG002
        """Fail as expected errors do."""
        raise ToolError("The drawer is locked.", hint="Find the key.")

    def give_object(self, call: CallContext) -> Any:  # noqa: ARG002
        """Return what cannot be sent."""
        return {"fine": 1, "not": [object()]}

    def process_id(self, call: CallContext) -> int:  # noqa: ARG002
        """Return the server's process id."""
        return os.getpid()

    def close(self) -> None:
        """Count how often the facade is closed."""
        self.closed += 1


def make_dispatcher(service: ContractService, limits: Limits = DEFAULT_LIMITS, **changes: Any) -> Dispatcher:
    """Return a dispatcher for the service; `changes` replace fields of the facade."""
    return Dispatcher(service.facade(**changes), token=TOKEN, limits=limits)


def main(transport: str, endpoint: str) -> None:
    """Serve in this process, for tests that end it. Prints the endpoint."""
    dispatcher = make_dispatcher(ContractService())
    server = load_object(transport)().serve(parse_endpoint(endpoint, allow_port_zero=True), dispatcher)
    signal.signal(signal.SIGTERM, lambda *_: server.shutdown())
    print(server.endpoint, flush=True)  # noqa: T201  (the parent reads it)
    server.run()


def abandon(transport: str, endpoint: str) -> None:
    """Leave a server, a client and two calls that never end behind, for a test that awaits the process's end."""
    carrier = load_object(transport)()
    methods = {"hang": Method(handler=_hang), "hang_beside": Method(handler=_hang, concurrent=True)}
    facade = replace(ContractService().facade(), methods=methods)
    where = parse_endpoint(endpoint, allow_port_zero=True)
    server = carrier.serve(where, Dispatcher(facade, token=TOKEN))
    threading.Thread(target=server.run, daemon=True).start()
    channel = carrier.connect(server.endpoint, token=TOKEN, timeout_s=20)
    for name in methods:
        with suppress(CallTimeoutError):
            channel.call(name, timeout_s=0.2)
    print("abandoned", flush=True)  # noqa: T201  (the parent reads it)


def _hang(call: CallContext) -> None:  # noqa: ARG001
    threading.Event().wait()
