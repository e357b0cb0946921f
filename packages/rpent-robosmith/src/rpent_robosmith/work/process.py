"""A worker's process: started in a session, a folder and an environment of its own, and killed with all it started."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

from rpent_robosmith.work.scratch import Scratch
from rpent_robosmith.work.variables import worker_variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.environments.interpreter import Interpreter

_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031  # <linux/fcntl.h>


class WorkerProcess:
    """A worker and the ends of its pipes.

    Attributes:
        control: The job and requests go in here, without blocking.
        messages: What it tells comes out here.
        output: What it and its libraries print comes out here.
    """

    def __init__(self, interpreter: Interpreter, *, sealed: bool, variables: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            EnvironmentSetupError: The interpreter cannot be executed.
        """
        self._scratch = Scratch()
        theirs_control, self.control = os.pipe()
        self.messages, theirs_messages = os.pipe()
        self.output, theirs_output = os.pipe()
        os.set_blocking(self.control, False)
        _widen(theirs_messages)
        command = [interpreter.python, "-m", "rpent_robosmith.worker.main"]
        command += [str(theirs_control), str(theirs_messages), str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=theirs_output,
                stderr=theirs_output,
                env=worker_variables(interpreter, self._scratch.path, sealed=sealed, asked=variables),
                cwd=self._scratch.path,
                pass_fds=(theirs_control, theirs_messages),
                start_new_session=True,
            )
        except OSError as error:
            self._close()
            raise EnvironmentSetupError(
                f"The interpreter `{interpreter.python}` cannot be run ({error.strerror}).",
                hint="Give the path of a Python 3.11+ interpreter with `--python`.",
            ) from error
        finally:
            for descriptor in (theirs_control, theirs_messages, theirs_output):
                os.close(descriptor)

    @property
    def pid(self) -> int:
        """Its process id, and that of its group."""
        return self._process.pid

    def wait(self, timeout_s: float) -> int | None:
        """Return its exit code, negative for a signal; None where it still runs after a while."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> int:
        """Kill it and its group, whatever it is busy with, and return its exit code. Idempotent."""
        if self._process.returncode is None:  # not reaped: the id is still its own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()
            self._close()
        return self._process.returncode

    def _close(self) -> None:
        for descriptor in (self.control, self.messages, self.output):
            os.close(descriptor)
        self._scratch.close()


def _widen(pipe: int) -> None:
    """Let the pipe hold more, so that checkpoints pass in fewer pieces; where that is allowed."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, _F_SETPIPE_SZ, _PIPE_BYTES)
