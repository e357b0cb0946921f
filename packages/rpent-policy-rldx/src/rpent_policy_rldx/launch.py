"""Starts the real server for a checkpoint: on loopback, on a free port, in the interpreter that has `rlinf-rldx`."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from rpent.errors import PolicyError
from rpent.home import expanded
from rpent.masking import quoted

from rpent_policy_rldx.address import Address
from rpent_policy_rldx.client import RldxClient

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.policies.api import Report

    from rpent_policy_rldx.config import RldxConfig

MODULE = "rldx.eval.run_rldx_server"
GRACE_S = 5.0
_PAUSE_S = 0.25
_LINE = 200
_PROBE_S = 60.0
_PROBE = "import importlib.util as u, sys; sys.exit(0 if u.find_spec('rldx') else 3)"
_LACKS = 3


class Launched:
    """A server that was started here, on its leash."""

    def __init__(self, command: list[str], address: Address) -> None:
        self.address = address
        self.lines: deque[str] = deque(maxlen=200)
        """What it said while it loaded and nobody has shown yet."""
        self.loading = True
        """Whether somebody shows its lines; afterwards they are printed."""
        self.last = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rpent_policy_rldx.leash", str(GRACE_S), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        self._reader = threading.Thread(target=self._read, daemon=True, name="rldx-server")
        self._reader.start()

    @property
    def pid(self) -> int:
        """The leash's process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def end(self) -> str:
        """Return in words how it ended, with its last line."""
        code = self._process.wait()
        self._reader.join(2.0)
        return f"ended with code {code}" + (f": {self.last}" if self.last else "")

    def stop(self) -> None:
        """End it and what it started. Idempotent."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(GRACE_S + 5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the server then dies with its leash
            self._process.wait()
        self._reader.join(2.0)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not (text := _printable(line)):
                continue
            self.last = text
            if self.loading:
                self.lines.append(text)
            else:
                print(f"rldx: {text}", flush=True)  # noqa: T201 (the log of the policy server)
        self._process.stdout.close()


def launch(config: RldxConfig, report: Report) -> Launched:
    """Start `run_rldx_server` for a checkpoint and wait until it answers.

    Raises:
        PolicyError: No interpreter was named, it lacks rldx, or the server ended or did not come up in time.
    """
    python = _interpreter(config)
    address = Address("127.0.0.1", _free_port())
    report("starting the RLDX server, which takes minutes", 0.05)
    launched = Launched(_command(config, python, address.port), address)
    client = RldxClient(address, connect_timeout_s=_PAUSE_S)
    deadline = time.monotonic() + config.launch_timeout_s
    try:
        while not client.ping():
            _show(launched, report)
            if not launched.alive:
                how = launched.end()
                _show(launched, report)
                raise PolicyError(
                    f"The RLDX server for `{config.checkpoint}` {how}.",
                    hint="The policy server's log has its lines, which begin with `rldx:`.",
                )
            if time.monotonic() >= deadline:
                raise PolicyError(
                    f"The RLDX server for `{config.checkpoint}` was not ready within {config.launch_timeout_s:g} s.",
                    hint="Raise `--launch-timeout-s`.",
                )
            time.sleep(_PAUSE_S)
        launched.loading = False
        _show(launched, report)
    except BaseException:
        launched.stop()
        raise
    finally:
        client.close()
    return launched


def _command(config: RldxConfig, python: Path, port: int) -> list[str]:
    return [
        str(python),
        "-u",
        "-m",
        MODULE,
        "--model-path",
        str(expanded(config.checkpoint)),
        "--embodiment-tag",
        config.embodiment_tag.upper(),
        "--device",
        "cuda" if config.device == "auto" else config.device,
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        *config.server_args,
    ]


def _show(launched: Launched, report: Report) -> None:
    while launched.lines:
        report(f"rldx: {launched.lines.popleft()}")


def _printable(line: bytes) -> str:
    """Return a line of a log without keys and control characters, and of a progress bar its last state."""
    return quoted(line.decode(errors="replace").strip().rpartition("\r")[2], limit=_LINE)


def _interpreter(config: RldxConfig) -> Path:
    python = config.rldx_python
    hint = "In an environment with Python 3.10: `pip install rlinf-rldx`; then give its interpreter."
    if python is None:
        raise PolicyError(
            f"A server for `{config.checkpoint}` needs `--rldx-python`, the interpreter that has `rlinf-rldx`.",
            hint=f"{hint} Or attach to a running server: `--checkpoint tcp://HOST:PORT`.",
        )
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [str(python), "-c", _PROBE], env=environ, capture_output=True, timeout=_PROBE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise PolicyError(f"The interpreter `{python}` cannot be run ({reason}).", hint=hint) from error
    if done.returncode:
        reason = "lacks the module `rldx`" if done.returncode == _LACKS else "is no working Python"
        raise PolicyError(f"The interpreter `{python}` {reason}.", hint=hint)
    return python


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
