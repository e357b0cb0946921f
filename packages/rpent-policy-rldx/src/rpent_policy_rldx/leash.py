"""The small parent of a server that was started here: it ends the server when its own standard input closes.

`python -m rpent_policy_rldx.leash GRACE_S PROGRAM ARGUMENTS...`: whoever holds the other end of standard input has the
server, and however that process ends, nothing of the server is left.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rpent.services import prctl
from rpent.services.guardian import guard

if TYPE_CHECKING:
    from collections.abc import Sequence

_OURS = (
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSAFEPATH",
    "PYTHONNOUSERSITE",
    "VIRTUAL_ENV",
    "__PYVENV_LAUNCHER__",
)
"""What is set for this interpreter and would lead another one astray."""


def main(arguments: Sequence[str]) -> int:
    """Start the program in a group of its own and wait for it, or for the end of standard input."""
    holder, leash = os.getppid(), os.getpid()
    lifeline, null = os.dup(0), os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    prctl.adopt_orphans()
    server = os.fork()
    if server:
        return guard(
            server, agent=holder, lifeline=lifeline, status=null, grace_s=float(arguments[0]), cleanup=()
        )
    os.setpgid(0, 0)
    prctl.die_with_parent(leash)
    program, environ = arguments[1:], {name: value for name, value in os.environ.items() if name not in _OURS}
    try:
        os.execve(program[0], list(program), environ)  # noqa: S606 (that is what this is for)
    except OSError as error:
        print(f"{program[0]}: {error.strerror}", flush=True)  # noqa: T201 (the server's log)
        os._exit(127)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.exit(code if code >= 0 else 128 - code)
