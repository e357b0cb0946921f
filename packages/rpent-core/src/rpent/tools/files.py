"""File tools for every robot, confined to the run directory."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from rpent.errors import ToolError
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

if TYPE_CHECKING:
    from rpent.robot import ToolContext

_RECORDS = {
    "run.json",
    "events.jsonl",
    "recipe.jsonl",
    "transcript.json",
    "episode.mp4",
    "steps",
    "logs",
    ".lock",
    "memory-draft",
}
"""What the run writes itself; a planner may read it but not change it."""
_PRIVATE = {"run.json", "events.jsonl", "logs", ".lock"}
"""Records that hold paths and versions of the machine: not for a language model."""
MaxChars = Annotated[int, Field(ge=1, le=200_000)]
Offset = Annotated[int, Field(ge=0)]
_MAX_WRITE = 1_000_000


class FileTools:
    """Reads and writes text in the run directory."""

    def __init__(self, context: ToolContext) -> None:
        self._run_dir = Path(context.run_dir).resolve()

    @tool(readonly=True)
    def read_text_file(
        self,
        path: str,
        max_chars: MaxChars = 40_000,
        offset: Offset = 0,
    ) -> ToolResult:
        """Read a text file of the run directory.

        Args:
            path: Relative path, such as `notes.md`.
            max_chars: How many characters to return at most.
            offset: How many characters to skip.
        """
        file = self._resolve(path)
        if self._is_among(file, _PRIVATE):
            raise ToolError(
                f"`{path}` is not for the planner.", hint="`transcript.json` has the conversation."
            )
        if not file.is_file():
            raise ToolError(f"There is no file `{path}`.", hint="`list_dir` shows what is there.")
        data = file.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise ToolError(f"`{path}` is not a text file.") from None
        return part_of(text, path, max_chars, offset)

    @tool(readonly=True)
    def write_text_file(self, path: str, content: str) -> ToolResult:
        """Write a text file in the run directory; replaces it.

        Args:
            path: Relative path, such as `notes.md`; missing folders are made.
            content: The whole text.
        """
        file = self._resolve(path)
        data = content.encode()
        if len(data) > _MAX_WRITE:
            raise ToolError(f"`content` has {len(data)} bytes; at most {_MAX_WRITE} are written.")
        if file == self._run_dir or self._is_among(file, _RECORDS):
            raise ToolError(f"`{path}` belongs to the run's own record and cannot be changed.")
        if file.is_dir():
            raise ToolError(f"`{path}` is a folder.")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except OSError as error:
            raise ToolError(f"`{path}` cannot be written: {error.strerror}.") from None
        return ToolResult(data={"path": path, "bytes_written": len(data)})

    @tool(readonly=True)
    def list_dir(self, path: str = "") -> ToolResult:
        """List a folder of the run directory.

        Args:
            path: Relative path of the folder; empty is the run directory itself.
        """
        folder = self._resolve(path)
        if not folder.is_dir() or self._is_among(folder, _PRIVATE):
            raise ToolError(f"There is no folder `{path}`.")
        entries = sorted(
            entry
            for entry in folder.iterdir()
            if not entry.name.startswith(".") and not self._is_among(entry, _PRIVATE)
        )
        files = [
            {
                "name": entry.name + ("/" if entry.is_dir() else ""),
                "bytes": 0 if entry.is_dir() else _size(entry),
            }
            for entry in entries
        ]
        return ToolResult(data={"path": path, "count": len(files), "files": files[:500]})

    def _resolve(self, path: str) -> Path:
        """Return the real path, with links followed, or refuse what lies outside.

        Raises:
            ToolError: The path leaves the run directory.
        """
        if "\0" in path:
            raise ToolError("A path may not contain a NUL character.")
        pure = PurePosixPath(path)
        try:
            resolved = Path(os.path.realpath(self._run_dir / pure))
        except (OSError, ValueError):
            raise ToolError(f"`{path}` is not a usable path.") from None
        if pure.is_absolute() or not resolved.is_relative_to(self._run_dir):
            raise ToolError(
                f"`{path}` is outside the run directory.",
                hint="Use a relative path without `..`.",
            )
        return resolved

    def _is_among(self, file: Path, records: set[str]) -> bool:
        if not file.is_relative_to(self._run_dir) or file == self._run_dir:
            return False
        first = file.relative_to(self._run_dir).parts[0]
        return first in records or (records is _RECORDS and first.startswith("episode."))


def part_of(text: str, path: str, max_chars: int, offset: int) -> ToolResult:
    """Return the part of a text that was asked for: what every tool answers that reads one."""
    part = text[offset : offset + max_chars]
    return ToolResult(data={"path": path, "size": len(text), "offset": offset, "content": part})


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
