"""The agent's handle on a service's process: start it, hear from it, stop it with all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import EnvironmentSetupError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.services.request import HostJob

_KILL_MARGIN_S = 5.0
OUT_OF_MEMORY = "Where nobody killed it, memory had run out: the kernel's log (`dmesg`) then names it."


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessEnd:
    """How a service's process ended."""

    code: int
    """Exit code; negative for a signal."""
    message: str = ""
    """What the service said about its failure, if it could."""
    hint: str | None = None
    exit_code: ExitCode = ExitCode.INFRASTRUCTURE
    """What kind of failure it was, for whoever ends because of it."""

    def describe(self) -> str:
        """Return the end in words: `exited with code 1`, `was killed by SIGKILL`."""
        if self.code >= 0:
            return f"exited with code {self.code}"
        try:
            return f"was killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was killed by signal {-self.code}"


class ServiceProcess:
    """A guardian with its service. Callbacks come from its threads; `on_end` comes exactly once."""

    def __init__(
        self,
        job: HostJob,
        *,
        python: str,
        environment: Mapping[str, str],
        log: int | None,
        on_listening: Callable[[str], None],
        on_end: Callable[[ProcessEnd], None],
    ) -> None:
        """Start the process.

        Args:
            job: What to serve; it goes through the pipe.
            python: The interpreter.
            environment: The whole environment of the process.
            log: Descriptor for its output, closed here; None shares the agent's own output.
            on_listening: Called with the endpoint once the service listens.
            on_end: Called when the service has ended, whatever the reason.

        Raises:
            EnvironmentSetupError: The interpreter cannot be executed.
        """
        self.host_pid: int | None = None
        self._grace_s = job.grace_s
        self._on_listening, self._on_end = on_listening, on_end
        self._lock = threading.Lock()
        self._ended, self._gone = threading.Event(), threading.Event()
        self._failure: dict[str, Any] = {}
        self._code: int | None = None
        read, write = os.pipe()
        try:
            self._guardian = subprocess.Popen(
                [python, "-m", "rpent.services.host", "--status-fd", str(write)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT if log is not None else None,
                env=dict(environment),
                pass_fds=(write,),
                start_new_session=True,
            )
        except OSError as error:
            os.close(read)
            raise EnvironmentSetupError(
                f"The interpreter `{python}` cannot be run ({error.strerror}).",
                hint="Give the path of a Python 3.11+ interpreter with `--env-python`.",
            ) from error
        finally:
            os.close(write)
            if log is not None:
                os.close(log)
        self._send(job)
        self._listener = threading.Thread(
            target=self._listen, args=(read,), daemon=True, name=f"{job.name}-status"
        )
        self._listener.start()
        threading.Thread(target=self._wait, daemon=True, name=f"{job.name}-wait").start()

    @property
    def pid(self) -> int:
        """The guardian's process id, which is also that of its session."""
        return self._guardian.pid

    @property
    def alive(self) -> bool:
        """Whether the service's process still runs."""
        return not self._ended.is_set()

    def stop(self, *, grace_s: float | None = None) -> None:
        """Let the service close itself, then kill what is left of its process group. Idempotent."""
        self._close_lifeline()
        if not self._gone.wait(self._grace_s + _KILL_MARGIN_S if grace_s is None else grace_s):
            self._kill_group(self.host_pid)  # the guardian then sweeps up and ends
            if not self._gone.wait(_KILL_MARGIN_S):
                self._kill_group(self.pid)
                self._gone.wait(_KILL_MARGIN_S)

    def _send(self, job: HostJob) -> None:
        assert self._guardian.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it ended at once; `_wait` reports that
            self._guardian.stdin.write(job.to_line())
            self._guardian.stdin.flush()

    def _close_lifeline(self) -> None:
        assert self._guardian.stdin is not None
        with contextlib.suppress(OSError):  # what could not be flushed to a dead process
            self._guardian.stdin.close()

    @staticmethod
    def _kill_group(leader: int | None) -> None:
        if leader is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)

    def _listen(self, read: int) -> None:
        with os.fdopen(read, "rb") as pipe:
            for line in pipe:
                event = json.loads(line)
                kind = event.pop("event")
                if kind == "started":
                    self.host_pid = event["pid"]
                elif kind == "listening":
                    self._on_listening(event["endpoint"])
                elif kind == "failed":
                    self._failure = {**event, "exit_code": ExitCode(event["exit_code"])}
                elif kind == "exited":
                    self._code = event["code"]
                    self._end(event["code"])
                    return

    def _wait(self) -> None:
        """See the end of the guardian itself, also when a grandchild keeps the status pipe open."""
        code = self._guardian.wait()
        self._listener.join(1.0)
        if self._code is None and self.host_pid is not None:
            # The guardian was killed, and its service with it; the service's own children may be left.
            self._kill_group(self.host_pid)
        self._end(code)
        self._gone.set()

    def _end(self, code: int) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            self._ended.set()
        hint = OUT_OF_MEMORY if code == -signal.SIGKILL else None
        self._on_end(ProcessEnd(code=code, **{"hint": hint, **self._failure}))
