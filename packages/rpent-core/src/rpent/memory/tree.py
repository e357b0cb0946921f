"""Reading a folder of small files without following links or reading what is not a plain, bounded file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.errors import MemoryStoreError
from rpent.memory.layout import INDEX, MAX_FILES, MAX_RECIPE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 4
"""Deeper than any path of the layout."""


@dataclass(slots=True)
class Tree:
    """What was found in a folder; paths are relative, with `/`."""

    files: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Path → why it was not read."""


def read_tree(root: Path) -> Tree:
    """Read all files below a folder; hidden ones and the index at its top are passed over.

    Raises:
        MemoryStoreError: The folder is there and cannot be read.
    """
    tree = Tree()
    try:
        for path, entry in _walk(root, "", _DEPTH):
            if path == INDEX:
                continue
            if len(tree.files) >= MAX_FILES:
                tree.refused[path] = f"There are more than {MAX_FILES} files."
                break
            try:
                tree.files[path] = read_plain(Path(entry.path), MAX_RECIPE_BYTES)
            except ValueError as error:
                tree.refused[path] = str(error)
    except FileNotFoundError:
        return tree
    except OSError as error:
        raise unreadable(root, error) from error
    return tree


def _walk(folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False) and depth:
            yield from _walk(Path(entry.path), f"{prefix}{entry.name}/", depth - 1)
        else:
            yield prefix + entry.name, entry


def read_plain(path: Path, max_bytes: int) -> bytes:
    """Read a regular file.

    Raises:
        ValueError: It is a link, a folder, a pipe, larger than `max_bytes`, or unreadable; one sentence.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ValueError("It is a link." if path.is_symlink() else f"{error.strerror}.") from None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("It is not a plain file.")
        if status.st_size > max_bytes:
            raise ValueError(f"It has {status.st_size} bytes; at most {max_bytes} are kept.")
        with os.fdopen(file, "rb", closefd=False) as stream:
            data = stream.read(max_bytes + 1)
    finally:
        os.close(file)
    if len(data) > max_bytes:
        raise ValueError(f"It has more than {max_bytes} bytes.")
    return data


def unreadable(path: Path, error: OSError) -> MemoryStoreError:
    """Return the error for a memory that cannot be read or written."""
    return MemoryStoreError(
        f"The memory `{path}` cannot be used: {error.strerror or error}.",
        hint="Check its permissions and the free space, or choose another with `--memory-dir`.",
    )
