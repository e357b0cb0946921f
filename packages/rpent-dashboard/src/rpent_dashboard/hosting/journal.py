"""`session.jsonl`: what happens in a session, one entry a line, append-only."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
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

    def append(self, kind: str, **values: Any) -> dict[str, Any]:
        """Append an entry and return it.

        Raises:
            RunDirectoryError: The file system refuses.
        """
        entry: dict[str, Any] = encodable(plain({"type": kind, "time": time.time(), **values}))
        self._log.append(json.dumps(entry, ensure_ascii=False).encode())
        return entry

    def close(self) -> None:
        """Close the file."""
        self._log.close()


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
