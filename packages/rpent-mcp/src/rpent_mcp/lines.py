"""Standard input, line by line, for a server that must also be able to stop while nothing comes."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 1 << 16


def claim_stdin() -> int:
    """Take standard input from everybody else in the process and its children; returns its new descriptor."""
    mine = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return mine


def give_back_stdin(descriptor: int) -> None:
    """Undo `claim_stdin`; the descriptor stays open, since a thread may still wait for it."""
    os.dup2(descriptor, 0)


class Lines:
    """An async iterator over the lines of a descriptor.

    A read that blocks cannot be cancelled, so a daemon thread does it; raw, since a buffered file with a blocked
    reader aborts an interpreter that exits.

    Args:
        descriptor: What to read.
        on_end: Called on that thread when nothing more will come.
    """

    def __init__(self, descriptor: int, on_end: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="rpent-mcp-stdin", daemon=True).start()

    def __aiter__(self) -> Self:
        """Return itself."""
        return self

    async def __anext__(self) -> str:
        """Return the next line."""
        line = await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        pending = b""
        with suppress(OSError):
            while chunk := os.read(self._descriptor, _CHUNK):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self._put(line.decode("utf-8", errors="replace"))
        self._on_end()
        self._put(None)

    def _put(self, line: str | None) -> None:
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
