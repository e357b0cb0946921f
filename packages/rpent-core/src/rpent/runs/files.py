"""Writing so that a kill at any moment leaves every file readable."""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import RunDirectoryError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def plain(value: Any) -> Any:  # noqa: PLR0911  (one line a type)
    """Return JSON-able data: arrays become lists, NaN and infinities become null, paths become strings."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    return str(value)


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file whole.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()  # a torn file would keep a full disk full
        raise unwritable(path, error) from error


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file whole."""
    write_atomic(path, json.dumps(plain(value), indent=2, ensure_ascii=False).encode() + b"\n")


def unwritable(path: Path, error: OSError) -> RunDirectoryError:
    """Say that a path cannot be written, and why."""
    return RunDirectoryError(
        f"`{path}` cannot be written: {error.strerror or error}.",
        hint="Check the free space and permissions, or choose another place with `--output-dir`.",
    )


class LineLog:
    """An append-only file; each line is one system call, so that a kill tears at most the last one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise unwritable(path, error) from error

    def append(self, line: bytes) -> None:
        """Append one line (without its newline).

        Raises:
            RunDirectoryError: The file system refuses, or took only a part.
        """
        data, written = line + b"\n", 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as error:
            self._take_back(written)
            raise unwritable(self.path, error) from error

    @property
    def in_place(self) -> bool:
        """Whether the file is still where it was made: it may have been deleted or moved."""
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return False

    def _take_back(self, written: int) -> None:
        """Cut a part of a line off again: the next line, once there is room, would be glued to it."""
        with suppress(OSError):
            if written:
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def repair_lines(path: Path, accept: Callable[[bytes], bool]) -> int:
    """Cut a torn last line off; returns how many bytes were cut."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    while end > 0:
        start = data.rfind(b"\n", 0, end - 1) + 1
        if accept(data[start:end]):
            break
        end = start
    if end < len(data):
        os.truncate(path, end)
    return len(data) - end
