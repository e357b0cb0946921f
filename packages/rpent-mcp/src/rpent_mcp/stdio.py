"""An MCP server on the process's standard input and output, in a thread."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from rpent.errors import ServiceError

from rpent_mcp.lines import Lines, claim_stdin, give_back_stdin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp.server.lowlevel import Server

_START_S = 10.0
_STOP_S = 25.0
"""How long the end waits for a tool that was cancelled; longer than a session does."""


@contextmanager
def serve_stdio(server: Server[Any], *, on_leave: Callable[[], None]) -> Iterator[threading.Event]:
    """Serve an MCP server on standard input and output for the time of a `with` block.

    Meanwhile standard input is empty for everybody else, and what is printed goes to standard error. Yields an
    event that is set when the client has left.

    Args:
        server: What to serve.
        on_leave: Called once when the client closes its end, on the server's thread.
    """
    stdio = _Stdio(server, on_leave)
    stdio.start()
    try:
        with redirect_stdout(sys.stderr):
            yield stdio.left
    finally:
        stdio.stop()


class _Stdio:
    def __init__(self, server: Server[Any], on_leave: Callable[[], None]) -> None:
        self.left = threading.Event()
        self._server = server
        self._on_leave = on_leave
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scope: anyio.CancelScope | None = None
        self._thread = threading.Thread(target=self._run, name="rpent-mcp", daemon=True)

    def start(self) -> None:
        self._thread.start()
        if not self._ready.wait(_START_S):
            raise ServiceError("The MCP server did not start on standard input and output.")

    def stop(self) -> None:
        if self._loop is not None and self._scope is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._scope.cancel)
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except* OSError:
            pass  # the client closed its end while something was written
        finally:
            self._leave()
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        descriptor = claim_stdin()
        try:
            lines = Lines(descriptor, self._leave)
            with anyio.CancelScope() as self._scope:
                async with stdio_server(stdin=cast("Any", lines)) as (incoming, outgoing):
                    self._ready.set()
                    options = self._server.create_initialization_options()
                    await self._server.run(incoming, outgoing, options)
        finally:
            give_back_stdin(descriptor)

    def _leave(self) -> None:
        if not self.left.is_set():
            self.left.set()
            self._on_leave()
