"""Runs jobs in worker processes and watches over them; nothing that a worker does outlives the call."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any

from rpent.errors import ExitCode, FrameError, clause
from rpent.printable import printable

from rpent_robosmith.work import stream
from rpent_robosmith.work.api import EnoughError, WorkError
from rpent_robosmith.work.interpreter import interpreter_for
from rpent_robosmith.work.process import WorkerProcess
from rpent_robosmith.work.watch import Quota, Watch, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.work.api import Job

    Heard = Callable[[str, Mapping[str, Any]], None]

_LOG_BYTES = 32 * 2**10
_LOG_LINES = 20
_LOOK_S = 0.5
_WRITE_BYTES = 2**20
_END_S = 2.0
_UNREADABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)
"""What a listener raises at a message of another shape. Hostile code in a sealed worker can forge one."""
_TOLD_AFTER_THE_SEAL = frozenset(("error", "memory", "reward"))
"""Kinds of errors that a sealed worker can tell; all others the owner finds out by itself."""
_LIBRARIES_BYTES = 512 * 2**20
"""What torch, a simulator and their like hold without having done anything."""


class ProcessBench:
    """A `Bench` of processes on this machine. Several threads may run jobs at once.

    Args:
        python: The interpreter that the user chose; None takes each job's managed environment, or the current one.
    """

    def __init__(self, *, python: str | None = None) -> None:
        self._python = python

    def run(self, job: Job, heard: Callable[[str, Mapping[str, Any]], None] | None = None) -> dict[str, Any]:
        """Run a job to its end and return its result, see `rpent_robosmith.work.api.Bench`."""
        interpreter = interpreter_for(job, python=self._python)
        process = WorkerProcess(interpreter, sealed=job.sealed, variables=job.variables)
        try:
            return _Conversation(job, process, heard or (lambda _kind, _data: None)).hold()
        finally:
            process.end()


class _Conversation:
    """One job with its worker, from the first word to the last."""

    def __init__(self, job: Job, process: WorkerProcess, heard: Heard) -> None:
        self._job, self._process, self._heard = job, process, heard
        self._limits = stream.limits_of(job.limits)
        self._reader = stream.Reader(process.messages, self._limits)
        self._watch, self._quota = Watch(job.limits), Quota()
        self._log, self._pending = bytearray(), bytearray()
        self._output_ended = False
        self._sealed = False
        self._asked = False

    def hold(self) -> dict[str, Any]:
        """Send the job, hear what is said, and return the result.

        Raises:
            WorkError: See `Bench.run`.
        """
        self._say(
            "job",
            run=self._job.run,
            params=self._job.params,
            message_bytes=self._job.limits.message_bytes,
            memory_bytes=self._job.limits.memory_bytes,
        )
        while True:
            result = self._listen()
            if result is not None:
                return result
            self._look()

    def _say(self, kind: str, **data: Any) -> None:
        self._pending += stream.pack(kind, data, self._limits)

    def _listen(self) -> dict[str, Any] | None:
        """Wait until something can be done, and do it; returns the result once it is there."""
        ready = self._ready()
        if ready.get(self._process.control):
            self._write_pending()
        if ready.get(self._process.output):
            self._keep_output()
        if not ready.get(self._process.messages):
            return None
        try:
            for kind, data in self._reader.read():
                self._pay()
                if kind == "result":
                    return self._result(data)
                self._hear(kind, data)
        except FrameError as error:
            raise self._failure(f"sent what is no message ({clause(error)})", "protocol") from error
        except EOFError:
            raise self._ended() from None
        self._watch.alive()
        return None

    def _ready(self) -> dict[int, int]:
        poll = select.poll()
        poll.register(self._process.messages, select.POLLIN)
        if not self._output_ended:
            poll.register(self._process.output, select.POLLIN)
        if self._pending:
            poll.register(self._process.control, select.POLLOUT)
        return dict(poll.poll(_LOOK_S * 1000))

    def _write_pending(self) -> None:
        """Write what the pipe takes now: a worker that does not read must not stop its owner."""
        try:
            written = os.write(self._process.control, self._pending[:_WRITE_BYTES])
        except BlockingIOError:
            return
        except BrokenPipeError:  # it ended; what it said is still to be heard
            written = len(self._pending)
        del self._pending[:written]

    def _pay(self) -> None:
        if self._sealed and not self._quota.spend(self._reader.last_bytes):
            raise self._failure("sent more, or larger, messages than it may", "protocol")

    def _hear(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "error":
            raise self._told_error(data)
        if kind == "sealed":
            if self._sealed:  # forged: there is one, before anything hostile is loaded
                return
            self._sealed = True
        with self._watch.paused():
            try:
                self._heard(kind, data)
            except EnoughError:
                self._ask()
            except _UNREADABLE as error:
                if not self._sealed:
                    raise
                raise self._failure(
                    f"told `{kind[:40]}` in a way that is not understood", "protocol"
                ) from error

    def _result(self, data: dict[str, Any]) -> dict[str, Any]:
        if self._job.sealed and not self._sealed:
            raise self._failure("gave a result without having sealed itself", "protocol")
        return data

    def _look(self) -> None:
        """Hold the worker to its limits."""
        limits = self._job.limits
        if self._watch.should_ask():
            self._ask()
        if self._watch.overdue():
            raise self._failure(f"took longer than its {limits.wall_s:g} s", "timeout")
        if self._watch.silent():
            raise self._failure(f"said nothing for {self._watch.silence_s:g} s", "silence")
        if resident_bytes(self._process.pid) > limits.memory_bytes + _LIBRARIES_BYTES:
            raise self._failure(
                f"took more than its {limits.memory_bytes / 2**20:.0f} MiB of memory", "memory"
            )

    def _ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._say("stop")

    def _keep_output(self) -> None:
        text = os.read(self._process.output, 2**16)
        self._output_ended = not text
        self._log += text
        del self._log[:-_LOG_BYTES]

    def _told_error(self, data: Mapping[str, Any]) -> WorkError:
        """Return an error that the worker told; hostile code in a sealed one can forge it, and only hurts itself."""
        hint, kind = data.get("hint"), str(data.get("kind", "error"))[:40]
        if self._sealed:
            hint, kind = None, kind if kind in _TOLD_AFTER_THE_SEAL else "error"
        error = self._failure(
            " ".join(str(data.get("message", ""))[:2000].split()),
            kind,
            hint=printable(hint[:500]) if isinstance(hint, str) else None,
            sentence=data.get("expected") is True,
        )
        if data.get("usage") is True and not self._sealed:
            error.exit_code = ExitCode.USAGE
        return error

    def _ended(self) -> WorkError:
        code = self._process.wait(_END_S)
        if code is None:
            return self._failure("closed its connection and went on", "protocol")
        if code >= 0:
            return self._failure(f"ended by itself with code {code} before it had a result", "killed")
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return self._failure(f"was killed by {name}", "killed")

    def _failure(self, what: str, kind: str, *, hint: str | None = None, sentence: bool = False) -> WorkError:
        what = printable(what)
        label = self._job.label or self._job.run
        message = what if sentence else f"The job `{label}` {what}."
        return WorkError(message, kind=kind, hint=hint, log=self._last_lines())

    def _last_lines(self) -> str:
        deadline = time.monotonic() + 0.2
        while not self._output_ended and time.monotonic() < deadline:
            poll = select.poll()
            poll.register(self._process.output, select.POLLIN)
            if not poll.poll(20):
                break
            self._keep_output()
        lines = printable(self._log.decode("utf-8", "replace").replace("\r\n", "\n")).splitlines()
        return "\n".join(lines[-_LOG_LINES:])
