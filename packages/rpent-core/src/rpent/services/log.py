"""A service's log file: what the process wrote to its standard output and error, C libraries included."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from rpent.errors import RunDirectoryError
from rpent.masking import without_keys
from rpent.rpc.loading import LOADING

if TYPE_CHECKING:
    from pathlib import Path

_TAIL_BYTES = 16_384
_MAX_LOADING = 200


class ServiceLog:
    """Appends to one file over all restarts. The process writes to the file itself, so nothing is lost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0
        self._looked = 0

    def open(self) -> int:
        """Begin a new process's part and return a descriptor to append to.

        Raises:
            RunDirectoryError: The file cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunDirectoryError(
                f"The log `{self.path}` cannot be written ({error.strerror}).",
                hint="Choose a writable directory with `--output-dir`.",
            ) from error
        os.write(descriptor, f"--- {time.strftime('%Y-%m-%d %H:%M:%S')} start\n".encode())
        self._start = self._looked = os.fstat(descriptor).st_size
        return descriptor

    def mask_keys(self) -> None:
        """Take keys out of the file, once the process is gone: what a provider answered may quote one."""
        with suppress(OSError):
            self.path.write_text(without_keys(self.path.read_text(errors="replace")))

    def loading(self) -> str | None:
        """Return the last `loading: …` that the process wrote since this was last asked, without the prefix."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self._looked, size - _TAIL_BYTES))
                data = file.read()
        except OSError:
            return None
        whole, newline, _ = data.rpartition(b"\n")
        if not newline:
            return None
        self._looked = size - len(data) + len(whole) + 1
        lines = whole.decode(errors="replace").splitlines()
        said = [line.removeprefix(LOADING) for line in lines if line.startswith(LOADING)]
        return without_keys(said[-1])[:_MAX_LOADING] if said else None

    def tail(self, lines: int = 15) -> list[str]:
        """Return the last lines that the current process wrote; empty when there is nothing to read."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self._start, size - _TAIL_BYTES))
                text = file.read().decode(errors="replace")
        except OSError:
            return []
        return [line for line in text.splitlines() if line.strip()][-lines:]
