"""The calls that a server knows: each request id runs at most once, its result is kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rpent.cancel import CancelToken
from rpent.rpc.codec import Buffer, frame_bytes
from rpent.rpc.messages import Reply, ReplyKind

Sink = Callable[[Reply, Sequence[Buffer]], None]
"""Sends one reply to the client that is waiting; callable from any thread, never raises."""

KEPT_RESULTS = 64
KEPT_BYTES = 64 * 2**20
KEPT_IDS = 4096
"""How many finished request ids are remembered after their results went, so that none runs a second time."""


def discard(_reply: Reply, _payload: Sequence[Buffer]) -> None:
    """Be the sink of a call that nobody waits for."""


@dataclass(slots=True, eq=False)
class Call:
    """One request and what became of it."""

    id: str
    method: str
    payload: Sequence[Buffer] | None
    """The parameters, until the call starts."""
    sink: Sink
    progress: bool
    cancel: CancelToken = field(default_factory=CancelToken)
    state: Literal["queued", "running", "finished"] = "queued"
    answer: tuple[ReplyKind, Sequence[Buffer]] | None = None
    """The final reply; None again when it is no longer kept."""
    answer_bytes: int = 0


class CallTable:
    """All calls by request id. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._kept: OrderedDict[str, Call] = OrderedDict()
        self._kept_bytes = 0
        self._cancelled_early: OrderedDict[str, None] = OrderedDict()

    def begin(self, call: Call) -> bool:
        """Enter a call (True), or hand its sink to the call that already has this id (False)."""
        with self._lock:
            known = self._calls.get(call.id)
            if known is None:
                self._calls[call.id] = call
                if call.id in self._cancelled_early:
                    del self._cancelled_early[call.id]
                    call.cancel.cancel()
                self._forget_oldest()
                return True
        self.attach(known, call.sink, progress=call.progress)
        return False

    def get(self, request_id: str) -> Call | None:
        """Return the call with that id, or None."""
        with self._lock:
            return self._calls.get(request_id)

    def attach(self, call: Call, sink: Sink, *, progress: bool) -> bool:
        """Let `sink` have the answer, now or when there is one. False: the answer is no longer kept."""
        with self._lock:
            if call.state != "finished":
                call.sink, call.progress = sink, progress
                return True
            answer = call.answer
        if answer is None:
            return False
        sink(Reply(kind=answer[0], id=call.id), answer[1])
        return True

    def start(self, call: Call) -> Sequence[Buffer] | None:
        """Mark a queued call as running and return its parameters; None when it has ended meanwhile."""
        with self._lock:
            if call.state != "queued":
                return None
            call.state = "running"
            payload, call.payload = call.payload, None
            return payload

    def finish(self, call: Call, kind: ReplyKind, payload: Sequence[Buffer]) -> None:
        """Keep the answer and send it to whoever waits; a call that has finished stays as it is."""
        with self._lock:
            if call.state == "finished":
                return
            call.state, call.payload, call.answer = "finished", None, (kind, payload)
            call.answer_bytes = sum(map(frame_bytes, payload))
            self._kept[call.id] = call
            self._kept_bytes += call.answer_bytes
            self._drop_answers()
            sink, call.sink = call.sink, discard
        sink(Reply(kind=kind, id=call.id), payload)

    def cancel(self, request_id: str) -> Call | None:
        """Set the call's cancel token; a call that has not arrived yet will arrive cancelled."""
        with self._lock:
            call = self._calls.get(request_id)
            if call is None:
                self._cancelled_early[request_id] = None
                while len(self._cancelled_early) > KEPT_RESULTS:
                    self._cancelled_early.popitem(last=False)
                return None
        call.cancel.cancel()
        return call

    def unfinished(self) -> list[Call]:
        """Return the calls that are queued or running."""
        with self._lock:
            return [call for call in self._calls.values() if call.state != "finished"]

    def _drop_answers(self) -> None:
        while len(self._kept) > 1 and (len(self._kept) > KEPT_RESULTS or self._kept_bytes > KEPT_BYTES):
            _, oldest = self._kept.popitem(last=False)
            oldest.answer = None
            self._kept_bytes -= oldest.answer_bytes

    def _forget_oldest(self) -> None:
        while len(self._calls) > KEPT_IDS:
            oldest = next(iter(self._calls.values()))
            if oldest.state != "finished" or oldest.answer is not None:
                return
            del self._calls[oldest.id]
