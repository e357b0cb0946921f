"""The environment variables of a process: forgotten, also where the kernel keeps its copy."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

_KEPT = ("LANG", "TZ", "MUJOCO_GL", "PYOPENGL_PLATFORM", "CUDA_VISIBLE_DEVICES")
_KEPT_PREFIXES = ("LC_", "PYTHON")
_KEPT_ENDINGS = ("_NUM_THREADS", "_MAXIMUM_THREADS")


def forget_variables() -> None:
    """Empty the environment, but for names of languages and numbers of threads, and erase what it was started with."""
    kept = {name: value for name, value in os.environ.items() if _is_kept(name)}
    os.environ.clear()
    _erase_initial()
    os.environ.update(kept)


def _is_kept(name: str) -> bool:
    return name in _KEPT or name.startswith(_KEPT_PREFIXES) or name.endswith(_KEPT_ENDINGS)


def _erase_initial() -> None:
    """Overwrite the variables that the process was started with; they stay in its memory otherwise."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[47]), int(fields[48])  # proc(5): env_start and env_end are fields 50 and 51
        if 0 < start < end < start + 2**22:
            ctypes.memset(start, 0, end - start)
