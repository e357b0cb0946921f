"""Following a line file by byte offset: whole lines only, through truncation, rotation and deletion."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = 256_000
"""Bytes that one reading takes from the file."""
MAX_LINE = 4_000_000
"""A longer line is not kept in memory; only its beginning is shown."""
SHOWN = 1_000
"""Bytes of such a line that are kept."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file."""

    offset: int
    data: bytes
    """Without its newline."""
    whole: bool = True
    """False where only the beginning of an overlong line is here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was new in the file."""

    lines: list[Line] = field(default_factory=list)
    end: int = 0
    """Offset behind the last line."""
    restarted: bool = False
    """The file is another one than before, or shorter: these lines are from its beginning."""


class Tail:
    """Holds an offset; whoever is slow just lags."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path, self.offset = path, offset
        self._inode = -1

    def behind(self) -> int:
        """Return how many bytes there are to read."""
        try:
            return max(0, self.path.stat().st_size - self.offset)
        except OSError:
            return 0

    def read(self, limit: int = BLOCK) -> Reading:
        """Return the next whole lines, about `limit` bytes at most, and move on; no lines: all was read."""
        try:
            with opened(self.path) as file:
                restarted = self._restart_if_other(file.fileno())
                lines, self.offset = _lines_at(file.fileno(), self.offset, limit)
        except FileNotFoundError:
            restarted, self.offset, self._inode = self.offset > 0, 0, -1
            return Reading(restarted=restarted)
        except OSError:  # a folder or a link, or the disk fails
            return Reading(end=self.offset)
        return Reading(lines, self.offset, restarted)

    def rest(self) -> bytes:
        """Return what follows the last whole line, and move behind it: the last words of a process that died."""
        try:
            with opened(self.path) as file:
                file.seek(self.offset)
                data = file.read(MAX_LINE)
        except OSError:
            return b""
        self.offset += len(data)
        return data

    def _restart_if_other(self, file: int) -> bool:
        """Go back to the beginning where the offset is not one of this file."""
        status = os.fstat(file)
        other = self._inode not in {-1, status.st_ino} or not _is_boundary(file, self.offset, status.st_size)
        self._inode = status.st_ino
        if other:
            self.offset = 0
        return other


def _is_boundary(file: int, offset: int, size: int) -> bool:
    return offset == 0 or (0 < offset <= size and os.pread(file, 1, offset - 1) == b"\n")


def _lines_at(file: int, offset: int, limit: int) -> tuple[list[Line], int]:
    """Return the whole lines from an offset on, and the offset behind them."""
    data = os.pread(file, limit, offset)
    end = data.rfind(b"\n") + 1
    if end == 0:
        return _long_line(file, offset, data) if len(data) == limit else ([], offset)
    lines, start = [], offset
    for part in data[: end - 1].split(b"\n"):
        lines.append(Line(start, part))
        start += len(part) + 1
    return lines, start


def _long_line(file: int, offset: int, data: bytes) -> tuple[list[Line], int]:
    """Return one line that is longer than a block, if it has ended."""
    parts, length = [data], len(data)
    while block := os.pread(file, BLOCK, offset + length):
        newline = block.find(b"\n")
        length += len(block) if newline < 0 else newline
        if length <= MAX_LINE:
            parts.append(block if newline < 0 else block[:newline])
        if newline >= 0:
            whole = length <= MAX_LINE
            return [Line(offset, b"".join(parts) if whole else data[:SHOWN], whole)], offset + length + 1
    return [], offset


class LineNumbers:
    """Counts the lines of a file, from 1; each part of it once, as long as one asks for later and later ones."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset, self._number = path, 0, 1

    def at(self, offset: int) -> int:
        """Return the number of the line at an offset."""
        if offset < self._offset:
            self._offset, self._number = 0, 1
        with suppress(OSError), opened(self._path) as file:
            file.seek(self._offset)
            while self._offset < offset and (block := file.read(min(BLOCK, offset - self._offset))):
                self._number += block.count(b"\n")
                self._offset += len(block)
        return self._number


def last_lines(path: Path, count: int, most: int = BLOCK) -> int:
    """Return the offset of the last `count` whole lines, within the last `most` bytes."""
    try:
        with opened(path) as file:
            start = max(0, os.fstat(file.fileno()).st_size - most)
            file.seek(start)
            data = file.read(most)
    except OSError:
        return 0
    end = data.rfind(b"\n")
    for _ in range(count):
        if end < 0:
            break
        end = data.rfind(b"\n", 0, end)
    if end < 0:
        return start if start == 0 else start + data.find(b"\n") + 1
    return start + end + 1
