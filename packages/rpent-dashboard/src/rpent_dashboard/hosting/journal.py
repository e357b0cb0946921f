"""`session.jsonl`: what happens in a session, one entry a line, append-only."""

from __future__ import annotations

import json
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.errors import RunDirectoryError
from rpent.runs.files import LineLog, plain, repair_lines

from rpent_dashboard.reading.lines import parsed
from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "session.jsonl"


class Journal:
    """Writes entries; each is one system call, so that a kill tears at most the last line."""

    def __init__(self, folder: Path) -> None:
        repair_lines(folder / NAME, lambda line: _entry(line) is not None)
        self._log = LineLog(folder / NAME)
        self._waiting: deque[bytes] = deque()
        self.problem: RunDirectoryError | None = None
        """Why the file does not have everything that was appended."""

    def append(self, kind: str, **values: Any) -> dict[str, Any]:
        """Append an entry and return it; what the file system refuses is written with a later one."""
        entry: dict[str, Any] = encodable(plain({"type": kind, "time": time.time(), **values}))
        self._waiting.append(json.dumps(entry, ensure_ascii=False).encode())
        try:
            while self._waiting:
                self._log.append(self._waiting[0])
                self._waiting.popleft()
        except RunDirectoryError as error:
            self.problem = error
        else:
            self.problem = None if self._log.in_place else _lost(self._log.path)
        return entry

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def _lost(path: Path) -> RunDirectoryError:
    return RunDirectoryError(
        f"`{path}` was deleted or moved: this session cannot be gone on with there.",
        hint="Close the session and open another.",
    )


def read_entries(folder: Path) -> Iterator[dict[str, Any]]:
    """Read a session's journal; lines that are torn or damaged are left out.

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    with opened(folder / NAME) as file:
        for line in file:
            if (entry := _entry(line)) is not None:
                yield entry


def _entry(line: bytes) -> dict[str, Any] | None:
    entry = plain(parsed(line))
    return entry if isinstance(entry, dict) else None
