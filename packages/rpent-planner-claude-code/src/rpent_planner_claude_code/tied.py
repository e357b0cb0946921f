"""Ties a process to the one that starts it: where a run is killed, Claude Code goes with it.

By itself it would notice that nobody listens any more only after it had asked the model once again.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# prctl(PR_SET_PDEATHSIG, SIGKILL); it survives `exec`.
_CODE = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"


def tied(folder: Path, binary: Path) -> Path:
    """Return a script that starts a binary so that the kernel kills it when the thread that started it is gone.

    Only Linux knows that; elsewhere it is the binary itself.
    """
    if sys.platform != "linux":
        return binary
    path = folder / "tied.sh"
    command = shlex.join([sys.executable, "-I", "-S", "-c", _CODE, str(binary)])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o700)
    return path
