"""Opening files of runs: regular ones only, no links that lead elsewhere, nothing that makes one wait."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path


def opened(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises:
        OSError: There is none, or it is a link, a folder, a pipe or a device.
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(f"{path} is no file")
        return os.fdopen(file, "rb")
    except OSError:
        os.close(file)
        raise
