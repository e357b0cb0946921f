"""The small parent of a service: it sees the end of the agent and of the service, and leaves nothing behind.

It holds three ends: the lifeline (a pipe whose other end only the agent has, so it closes however the agent
dies), the status pipe (on which it says how the service ended), and the service's process group.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import shutil
import signal
import time
from typing import TYPE_CHECKING, Any

from rpent.services import prctl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOOK_S = 1.0
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def report(status: int, event: Mapping[str, Any]) -> None:
    """Write one event to the status pipe; an agent that is gone does not matter."""
    with contextlib.suppress(OSError):
        os.write(status, json.dumps(event).encode() + b"\n")


def guard(
    host: int, *, agent: int, lifeline: int, status: int, grace_s: float, cleanup: Sequence[str]
) -> int:
    """Wait until the host ends, or end it when the agent is gone; then kill whatever it left.

    Args:
        host: The service's process, leader of its own process group.
        agent: The agent's process. It is looked at now and then, for the case that a copy of it (`fork` without
            `exec`) keeps the lifeline open.
        lifeline: Read end of the agent's pipe.
        status: Write end of the status pipe.
        grace_s: How long the host may take to close after the lifeline closed or a stop signal came.
        cleanup: Directories to remove at the end.

    Returns:
        The host's exit code; negative for a signal.
    """
    wake = _signal_pipe()
    code = _wait_for_end(host, agent=agent, lifeline=lifeline, wake=wake, grace_s=grace_s)
    _kill_leftovers(host)
    for directory in cleanup:
        shutil.rmtree(directory, ignore_errors=True)
    report(status, {"event": "exited", "code": code})
    return code


def _signal_pipe() -> int:
    """Turn signals into bytes on a pipe, so that one `select` waits for everything."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_STOP_SIGNALS):
        signal.signal(number, lambda *_: None)
    return read


def _wait_for_end(host: int, *, agent: int, lifeline: int, wake: int, grace_s: float) -> int:
    watched, deadline = [lifeline, wake], None
    while (code := _reap(host)) is None:
        left = _LOOK_S if deadline is None else min(max(0.0, deadline - time.monotonic()), _LOOK_S)
        ready = select.select(watched, [], [], left)[0]
        stop = False
        if lifeline in ready and not os.read(lifeline, 4096):
            watched.remove(lifeline)  # the host has the same pipe and has seen it too
            stop = True
        told = wake in ready and bool(set(os.read(wake, 4096)).intersection(_STOP_SIGNALS))
        if told or (deadline is None and os.getppid() != agent):
            os.kill(host, signal.SIGTERM)
            stop = True
        if stop and deadline is None:
            deadline = time.monotonic() + grace_s
        elif deadline is not None and time.monotonic() >= deadline:
            os.kill(host, signal.SIGKILL)
            deadline = math.inf
    return code


def _reap(host: int) -> int | None:
    """Collect every ended child (adopted ones too); return the host's exit code when it is among them."""
    while True:
        try:
            pid, wait_status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return -signal.SIGKILL
        if pid == host:
            return os.waitstatus_to_exitcode(wait_status)
        if pid == 0:
            return None


def _kill_leftovers(host: int) -> None:
    """Kill the host's group, and then what left the group and was adopted, down to the last generation."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(host, signal.SIGKILL)
    while True:
        for pid in prctl.children(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
