"""Files that are whole and on the disk before they take another one's place."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file whole; a crash or a power cut at any moment leaves the new one or the old one.

    Raises:
        OSError: The file system refuses; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
