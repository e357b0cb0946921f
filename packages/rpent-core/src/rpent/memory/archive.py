"""A robot's memory as one file, to pass on: a `.tar.gz` of the notes and recipes, and what robot they are of."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import MemoryStoreError, UsageError
from rpent.memory.layout import (
    AUDIT,
    INDEX,
    MAX_FILES,
    MAX_RECIPE_BYTES,
    RECIPE,
    MemoryPathError,
    checked_name,
    parse_path,
    shown,
)
from rpent.memory.validate import Problem, check_files

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.memory.store import Store

FORMAT = 1
HEADER = "rpent-memory.json"
MAX_TOTAL_BYTES = 128_000_000
"""What an archive may hold, unpacked: more than anybody writes, less than what fills a disk."""
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive holds; valid."""

    robot: str
    files: dict[str, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportReport:
    """What an import did."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Files that the memory has with another content, and that were kept."""


def export(store: Store, file: Path) -> int:
    """Write all valid files of a memory into an archive; returns how many.

    Raises:
        UsageError: The memory is empty.
        MemoryStoreError: The memory cannot be read, or the file not be written.
    """
    files = store.read().files
    if not files:
        raise UsageError(f"There is no memory of the robot `{store.robot}` in `{store.root}`.")
    header = json.dumps({"format": FORMAT, "robot": store.robot}).encode()
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        with (
            temporary.open("wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for path, data in {HEADER: header, **dict(sorted(files.items()))}.items():
                member = tarfile.TarInfo(path)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise MemoryStoreError(f"`{file}` cannot be written: {error.strerror or error}.") from error
    return len(files)


def import_(store: Store, archive: Archive, *, replace: bool = False) -> ImportReport:
    """Take the files of an archive into a memory, all or, on a failure, none.

    Args:
        store: The robot's memory.
        archive: What `read_archive` returned.
        replace: Whether files that differ are replaced; else they are kept and reported.

    Raises:
        MemoryStoreError: The memory cannot be written.
    """
    done: dict[str, list[str]] = {"added": [], "replaced": [], "unchanged": [], "conflicts": []}
    with store.changing() as change:
        for unit in _units(archive.files):
            present = {path: change.on_disk(path) for path in unit}
            if all(present[path] == archive.files[path] for path in unit):
                kind = "unchanged"
            elif all(data is None for data in present.values()):
                kind = "added"
            else:
                kind = "replaced" if replace else "conflicts"
            done[kind] += unit
            if kind in ("added", "replaced"):
                for path in unit:
                    change.put(path, archive.files[path])
    return ImportReport(**{kind: tuple(paths) for kind, paths in done.items()})


def read_archive(file: Path) -> Archive:
    """Read an archive into memory and validate all of it. Nothing is unpacked to the disk.

    Raises:
        UsageError: It is not an archive of a memory, too large, or holds something that is not fit for one.
    """
    try:
        with file.open("rb") as raw, gzip.GzipFile(fileobj=raw) as packed:
            files = _members(Bounded(packed, MAX_TOTAL_BYTES))
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, OverflowError) as error:
        raise UsageError(
            f"{shown(file.name)} is not an archive of a memory: {error}.",
            hint="`rpent memory export` writes one.",
        ) from None
    except OSError as error:
        raise UsageError(f"{shown(str(file))} cannot be read: {error.strerror or error}.") from None
    robot = _robot(files.pop(HEADER, b""), file)
    if problems := check_files(files, draft=False):
        raise UsageError(f"{shown(file.name)} is refused: {problems[0]}", hint=_more(problems))
    return Archive(robot, files)


class Bounded:
    """Reads no more than so many bytes of a stream: neither a member nor a header can be a bomb."""

    def __init__(self, stream: gzip.GzipFile, left: int) -> None:
        self._stream, self._left = stream, left

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes.

        Raises:
            ValueError: There is more than the bound.
        """
        data = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("it unpacks to too many bytes")
        return data


def _members(stream: Bounded) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=stream, mode="r|") as tar:  # type: ignore[call-overload]
        for member in tar:
            if member.isdir():
                continue
            if member.type not in _PLAIN or member.sparse is not None:
                raise ValueError(f"{shown(member.name)} in it is not a plain file")
            if member.name in files or len(files) > MAX_FILES:
                raise ValueError(f"{shown(member.name)} in it is one file too many")
            if member.name == INDEX:
                continue
            if member.name != HEADER:
                _check_path(member.name)
            if member.size > MAX_RECIPE_BYTES:
                raise ValueError(f"{shown(member.name)} in it has {member.size} bytes")
            content = tar.extractfile(member)
            files[member.name] = content.read() if content else b""
    return files


def _check_path(name: str) -> None:
    try:
        parse_path(name)
    except MemoryPathError as error:
        raise ValueError(error.message.rstrip(".")) from None


def _robot(header: bytes, file: Path) -> str:
    try:
        values = json.loads(header)
        if values["format"] != FORMAT:
            raise UsageError(
                f"{shown(file.name)} is of format {values['format']!r}; this version reads {FORMAT}."
            )
        return checked_name(values["robot"], "robot")
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UsageError(
            f"{shown(file.name)} is not an archive of a memory: it has no valid `{HEADER}`.",
            hint="`rpent memory export` writes one.",
        ) from None


def _units(files: dict[str, bytes]) -> list[tuple[str, ...]]:
    """Return what is kept or replaced together: a note, or a recipe with its audit."""
    return [
        (path, path.removesuffix(RECIPE) + AUDIT) if path.endswith(RECIPE) else (path,)
        for path in sorted(files)
        if not path.endswith(f"/{AUDIT}")
    ]


def _more(problems: list[Problem]) -> str | None:
    return f"{len(problems) - 1} more problems follow it." if len(problems) > 1 else None
