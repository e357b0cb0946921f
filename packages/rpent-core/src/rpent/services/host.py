"""The process of a service: `python -m rpent.services.host --status-fd N`, with a `HostJob` on stdin.

It forks at once, before any heavy import: the parent becomes the guardian, the child becomes the service.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rpent.services import prctl
from rpent.services.guardian import guard, report
from rpent.services.request import HostJob

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Read the job, split into guardian and service, and return the exit code of the one that this became."""
    agent = os.getppid()
    status = int(arguments[arguments.index("--status-fd") + 1])
    os.set_inheritable(status, False)
    line = _read_line(0)
    if not line:  # the agent ended before it said what to do
        return 1
    job = HostJob.from_line(line)
    lifeline = _detach_stdin()
    guardian = os.getpid()
    prctl.adopt_orphans()
    host = os.fork()
    if host:
        report(status, {"event": "started", "pid": host})
        return guard(
            host, agent=agent, lifeline=lifeline, status=status, grace_s=job.grace_s, cleanup=job.cleanup
        )
    os.setpgid(0, 0)
    prctl.die_with_parent(guardian)
    from rpent.services.serving import Serving  # noqa: PLC0415 (the guardian stays small)

    return Serving(job, status=status).run(lifeline)


def _read_line(descriptor: int) -> bytes:
    """Read one line, and not a byte more than the pipe holds of it."""
    data = b""
    while not data.endswith(b"\n"):
        chunk = os.read(descriptor, 65536)
        if not chunk:
            return b""
        data += chunk
    return data


def _detach_stdin() -> int:
    """Move the lifeline out of the way of code that reads stdin, and of the service's own children."""
    lifeline = os.dup(0)  # not inheritable
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return lifeline


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Simulators and GL drivers crash in their atexit handlers; everything of ours is closed by now.
    os._exit(code if code >= 0 else 128 - code)
