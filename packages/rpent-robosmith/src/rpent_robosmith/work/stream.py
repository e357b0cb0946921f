"""Messages between a worker and its owner: core's codec, one framed message after the other over a pipe."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rpent.errors import FrameError
from rpent.rpc import codec, framing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent_robosmith.work.api import Limits

_READ_BYTES = 2**20


def codec_limits(message_bytes: int) -> codec.Limits:
    """Return the codec's bounds for messages of at most this many bytes; headers are small, arrays are not."""
    return codec.Limits(message_bytes=message_bytes, header_bytes=8 * 2**20, frames=4096)


def limits_of(limits: Limits) -> codec.Limits:
    """Return the codec's bounds for a job."""
    return codec_limits(limits.message_bytes)


def pack(kind: str, data: Mapping[str, Any], limits: codec.Limits) -> bytes:
    """Return a message as bytes.

    Raises:
        FrameError: It holds something other than plain data and numeric arrays, or is too large.
    """
    return framing.join(codec.encode({"kind": kind, "data": dict(data)}, limits))


def write(descriptor: int, message: bytes) -> None:
    """Write all of a message to a blocking pipe.

    Raises:
        OSError: The other side is gone.
    """
    view = memoryview(message)
    while view:
        view = view[os.write(descriptor, view) :]


class Reader:
    """Puts messages together from what comes out of a pipe, however it is cut.

    What it reads may be forged by hostile code in the worker: it is bounded and checked, and never more than data.
    """

    def __init__(self, descriptor: int, limits: codec.Limits) -> None:
        self._descriptor, self._limits = descriptor, limits
        self._head = bytearray()
        self._body = bytearray()
        self._filled = 0
        self.last_bytes = 0
        """Size of the last message that became complete."""

    def read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Read once what is there (blocks while there is nothing), and yield the messages that became complete.

        Raises:
            FrameError: The bytes are no message.
            EOFError: The pipe was closed.
        """
        if not self._body:
            part = os.read(self._descriptor, framing.HEAD.size - len(self._head))
            self._head += part
            if not part:
                raise EOFError
            if len(self._head) < framing.HEAD.size:
                return
            self._body = bytearray(framing.message_size(self._head, self._limits))
            self._body[: len(self._head)] = self._head
            self._filled = len(self._head)
            self._head.clear()
        if self._filled < len(self._body):
            with memoryview(self._body) as view:
                count = os.readv(self._descriptor, [view[self._filled : self._filled + _READ_BYTES]])
            if not count:
                raise EOFError
            self._filled += count
        if self._filled >= len(self._body):
            body, self._body = self._body, bytearray()
            self.last_bytes = len(body)
            yield _message(body, self._limits)


def _message(body: bytearray, limits: codec.Limits) -> tuple[str, dict[str, Any]]:
    loaded = codec.decode(framing.split(body, limits), limits)
    kind = loaded.get("kind") if isinstance(loaded, dict) else None
    data = loaded.get("data") if isinstance(loaded, dict) else None
    if not isinstance(kind, str) or not isinstance(data, dict) or not all(isinstance(n, str) for n in data):
        raise FrameError("A message is not a kind with its data.")
    return kind, data
