"""The delivered files of a run: written atomically, hashed, and what an earlier delivery left behind taken away."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import RunDirectoryError
from rpent.runs.files import unwritable

from rpent_robosmith.durable import write_durably

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Package:
    """Files that are being delivered.

    Args:
        folder: The run directory.
        earlier: Names that an earlier delivery of the same run wrote.
    """

    def __init__(self, folder: Path, earlier: Iterable[str] = ()) -> None:
        self._folder = folder
        self._earlier = tuple(earlier)
        self.hashes: dict[str, str] = {}
        """Name → sha256, in the order of writing."""

    def add(self, name: str, data: bytes | str, *, executable: bool = False) -> None:
        """Write a file.

        Raises:
            RunDirectoryError: The file system refuses.
        """
        content = data.encode() if isinstance(data, str) else data
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_durably(path, content)
            if executable:
                path.chmod(0o755)
        except OSError as error:
            raise unwritable(path, error) from error
        self.hashes[name] = hashlib.sha256(content).hexdigest()

    def add_json(self, name: str, value: Any) -> None:
        """Write plain data as JSON; NaN and infinities must be strings already."""
        self.add(name, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")

    def add_copy(self, name: str, source: Path) -> None:
        """Write the content of another file of the run.

        Raises:
            RunDirectoryError: It is not in the run directory, or cannot be read.
        """
        if not source.resolve().is_relative_to(self._folder.resolve()):
            raise RunDirectoryError(f"`{source}` is not in the run directory `{self._folder}`.")
        try:
            self.add(name, source.read_bytes())
        except OSError as error:
            raise RunDirectoryError(f"`{source}` cannot be read: {error.strerror or error}.") from error

    def close(self) -> dict[str, str]:
        """Take away what an earlier delivery wrote and this one did not; returns the hashes by sorted name."""
        for name in self._earlier:
            path = self._folder / name
            if name not in self.hashes and path.resolve().is_relative_to(self._folder.resolve()):
                with suppress(OSError):
                    path.unlink()
        return dict(sorted(self.hashes.items()))
