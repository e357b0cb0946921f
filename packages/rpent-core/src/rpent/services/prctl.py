"""Two Linux process attributes that the standard library does not offer; elsewhere they do nothing."""

from __future__ import annotations

import os
import signal
import sys

# <linux/prctl.h>
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(parent_pid: int) -> None:
    """Have the kernel kill this process when its parent ends, whatever this process is busy with.

    The kernel means the parent *thread* that forked, so the parent must have one thread, as the guardian has.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:  # it ended before the call
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none escapes."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children(pid: int) -> list[int]:
    """Return the direct children of a process, from /proc; empty where there is none."""
    found = []
    for entry in os.scandir("/proc") if sys.platform == "linux" else ():
        if entry.name.isdigit():
            try:
                with open(f"/proc/{entry.name}/stat", "rb") as file:  # noqa: PTH123 (pathlib costs modules here)
                    stat = file.read()
            except OSError:
                continue
            # "pid (name) state ppid ...": the name may hold spaces and parentheses.
            if int(stat.rpartition(b")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 (only where it is of use)

    ctypes.CDLL(None, use_errno=True).prctl(option, int(value), 0, 0, 0)
