"""How a job speaks with its owner: messages out, requests in, and the seal."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Any

from rpent_robosmith.work import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.codec import Limits


class PipeContext:
    """The `JobContext` of a worker process.

    Args:
        control: Requests of the owner come in here.
        messages: What is told goes out here.
        limits: Bounds of a message.
        memory_bytes: What the process may take beyond what it holds when it is sealed.
    """

    def __init__(self, control: int, messages: int, *, limits: Limits, memory_bytes: int) -> None:
        self._control, self._messages, self._limits = control, messages, limits
        self._memory_bytes = memory_bytes
        self._stopping = self._sealed = False

    def tell(self, kind: str, /, **data: Any) -> None:
        """Send a message: plain data and numeric arrays, which are copied.

        Raises:
            FrameError: It holds something else, or is larger than the job's limit.
        """
        try:
            stream.write(self._messages, stream.pack(kind, data, self._limits))
        except BrokenPipeError:  # the owner is gone, and with it the reason to go on
            os._exit(1)

    def seal(self, *, readable: Sequence[str] = (), threads: bool = False) -> None:
        """Give up files, network and processes for good, see `rpent_robosmith.worker.sandbox.seal`."""
        if self._sealed:
            return
        from rpent_robosmith.worker.sandbox.seal import seal  # noqa: PLC0415 (only sealed jobs need it)

        caveats = seal(readable=readable, memory_bytes=self._memory_bytes, threads=threads)
        self._sealed = True
        self.tell("sealed", caveats=list(caveats))

    def stopping(self) -> bool:
        """Whether the owner asked to end early with what there is (or is gone)."""
        if not self._stopping:
            self._stopping = bool(select.select((self._control,), (), (), 0)[0])
        return self._stopping
