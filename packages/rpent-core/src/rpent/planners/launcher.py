"""Starts a vendor's binary with an environment that holds only what it needs.

The SDKs copy `os.environ` into their child process: every key and token of the user's shell would be there. They
are given a small script as "the binary" instead, which drops the names that are not on a list.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from rpent.planners.private import write_private

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

ALWAYS = frozenset(
    {
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)
"""Kept for every binary; so is `LC_*`."""


_PYTHON = "import ctypes,os,sys;{};os.execv(sys.argv[1],sys.argv[1:])"
_OWN_GROUP = "os.setsid()"
_TIED = "ctypes.CDLL(None).prctl(1,9,0,0,0)"
"""prctl(PR_SET_PDEATHSIG, SIGKILL); it survives `exec`."""
_PID = "launched.pid"


def write_launcher(
    folder: Path,
    binary: str | Path,
    keep: Collection[str] = (),
    *,
    own_group: bool = False,
    tied: bool = False,
) -> Path:
    """Write the script and return its path. It holds names and no values.

    Args:
        folder: Private to the run (0700).
        binary: What the script starts, with all its arguments.
        keep: Further names that stay: what the SDK sets for its child itself.
        own_group: Start it as leader of a process group, named by `launched_group`: a Ctrl-C at the terminal does
            not reach it, and it can be ended with all that it started.
        tied: The kernel kills it when the thread that started it is gone, for a binary that would notice that only
            late. Only Linux knows that; elsewhere it makes no difference.
    """
    path = folder / "launch.sh"
    dropped = " ".join(f"-u {shlex.quote(name)}" for name in dropped_names(os.environ, keep))
    steps = [_OWN_GROUP] * own_group + [_TIED] * (tied and sys.platform == "linux")
    prelude = [sys.executable, "-I", "-S", "-c", _PYTHON.format(";".join(steps))] if steps else []
    note = f"echo $$ > {shlex.quote(str(folder / _PID))}\n" if own_group else ""
    write_private(
        path, f'#!/bin/sh\n{note}exec env {dropped} {shlex.join([*prelude, str(binary)])} "$@"\n', 0o700
    )
    return path


def launched_group(folder: Path) -> int | None:
    """Return the process group of what was last launched from a folder, or None."""
    try:
        return int((folder / _PID).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def dropped_names(environment: Iterable[str], keep: Collection[str] = ()) -> list[str]:
    """Return the names of an environment that a launched binary does not see."""
    return sorted(
        name for name in environment if name not in ALWAYS and name not in keep and not name.startswith("LC_")
    )
