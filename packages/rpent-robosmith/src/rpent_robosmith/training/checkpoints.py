"""Checkpoints of trainings on disk: written atomically by the run's process, the previous one kept, no pickle.

A checkpoint is plain data with arrays in it. What only grows (a replay buffer) is under the key `appended`: each
checkpoint brings the rows since the one before, they are kept in files of their own, and reading gives them all in one
piece, the last `keep_rows` of them.

::

    latest.json                 which files the newest checkpoint and the one before it consist of, with their sha256
    state-000003.json           plain data, arrays as references
    state-000003.safetensors    the arrays
    rows-000003.safetensors     what was appended in this segment
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RunDirectoryError, clause

from rpent_robosmith.durable import write_durably

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = 1
LATEST = "latest.json"
APPENDED, KEEP_ROWS = "appended", "keep_rows"
_REFERENCE = "array:"
_OURS = ("state-", "rows-", LATEST)

_DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError)
"""What reading raises at files of another shape: a sealed training may have forged what is in them."""


class CheckpointFolder:
    """The checkpoints of one training."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._record = self._read_latest()

    def write(self, segment: int, data: Mapping[str, Any]) -> None:
        """Write a checkpoint; a crash at any moment leaves this one or the one before.

        Args:
            segment: Counts up from 1.
            data: String keys, plain values and numeric arrays; `appended` holds new rows, `keep_rows` how many are
                needed.

        Raises:
            RunDirectoryError: The folder cannot be written.
            ValueError: An array is of a dtype that no file takes.
        """
        from safetensors import SafetensorError  # noqa: PLC0415
        from safetensors.numpy import save  # noqa: PLC0415

        body = {key: value for key, value in data.items() if key != APPENDED}
        plain, arrays = split(body)
        rows = {name: np.ascontiguousarray(row) for name, row in (data.get(APPENDED) or {}).items()}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            files = {
                f"state-{segment:06d}.json": json.dumps(plain, sort_keys=True).encode(),
                f"state-{segment:06d}.safetensors": save(arrays),
            }
            hashes = {name: self._put(name, content) for name, content in files.items()}
            chunks = self._with_rows(segment, rows, data.get(KEEP_ROWS), save)
            self._commit({"segment": segment, "files": hashes, "rows": chunks})
        except OSError as error:
            raise RunDirectoryError(
                f"The training's checkpoint cannot be written to `{self._folder}`: {clause(error)}.",
                hint="Check the free space and permissions.",
            ) from error
        except SafetensorError as error:
            raise ValueError(str(error)) from error

    def read(self) -> tuple[int, dict[str, Any]] | None:
        """Return the newest checkpoint that is whole: its segment and its data; None where there is none."""
        for record in (self._record.get("current"), self._record.get("previous")):
            if record:
                try:
                    return int(record["segment"]), self._load(record)
                except _DAMAGED:
                    continue
        return None

    def mend(self) -> int:
        """Make the newest checkpoint that is whole the current one, and return its segment; 0 where there is none."""
        found = self.read()
        segment = 0 if found is None else found[0]
        if segment != self.segment:
            previous = self._record.get("previous") if segment else None
            self._record = {"version": VERSION, "current": previous, "previous": None}
        return segment

    @property
    def segment(self) -> int:
        """The newest checkpoint's segment; 0 where there is none."""
        return int((self._record.get("current") or {}).get("segment", 0))

    def _with_rows(
        self, segment: int, rows: Mapping[str, NDArray[np.generic]], keep: int | None, save: Any
    ) -> list[dict[str, Any]]:
        chunks = [
            chunk
            for chunk in (self._record.get("current") or {}).get("rows", ())
            if chunk["segment"] < segment
        ]
        if rows:
            name = f"rows-{segment:06d}.safetensors"
            count = len(next(iter(rows.values())))
            sha = self._put(name, save(dict(rows)))
            chunks.append({"segment": segment, "file": name, "sha256": sha, "count": count})
        while keep is not None and chunks and sum(chunk["count"] for chunk in chunks[1:]) >= keep:
            chunks.pop(0)
        return chunks

    def _commit(self, record: dict[str, Any]) -> None:
        previous = self._record.get("current")
        if previous and previous["segment"] >= record["segment"]:
            previous = self._record.get("previous")
        self._record = {"version": VERSION, "current": record, "previous": previous}
        self._put(LATEST, json.dumps(self._record, indent=2, sort_keys=True).encode())
        wanted = {LATEST, *_files(record), *_files(previous or {})}
        for path in self._folder.iterdir():
            if path.name.lstrip(".").startswith(_OURS) and path.name not in wanted:
                path.unlink()

    def _put(self, name: str, content: bytes) -> str:
        write_durably(self._folder / name, content)
        return hashlib.sha256(content).hexdigest()

    def _get(self, name: str, sha256: str) -> bytes:
        if "/" in name or name.startswith("."):
            raise ValueError(name)
        content = (self._folder / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ValueError(f"{name} is damaged")
        return content

    def _read_latest(self) -> dict[str, Any]:
        try:
            record = json.loads((self._folder / LATEST).read_text())
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) and record.get("version") == VERSION else {}

    def _load(self, record: Mapping[str, Any]) -> dict[str, Any]:
        from safetensors import SafetensorError  # noqa: PLC0415
        from safetensors.numpy import load  # noqa: PLC0415

        content = {name: self._get(name, sha) for name, sha in record["files"].items()}
        try:
            plain = next(json.loads(part) for name, part in content.items() if name.endswith(".json"))
            arrays = next(load(part) for name, part in content.items() if name.endswith(".safetensors"))
            parts = [load(self._get(chunk["file"], chunk["sha256"])) for chunk in record["rows"]]
        except (SafetensorError, StopIteration) as error:
            raise ValueError(str(error)) from error
        data: dict[str, Any] = joined(plain, arrays)
        if parts:
            data[APPENDED] = _last_rows(parts, data.get(KEEP_ROWS))
        return data


def split(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
    """Return plain data with references in place of arrays, and the arrays by their path."""
    arrays: dict[str, NDArray[np.generic]] = {}

    def walk(value: Any, path: str) -> Any:
        if isinstance(value, np.ndarray):
            arrays[path] = np.ascontiguousarray(value).reshape(value.shape)
            return _REFERENCE + path
        if isinstance(value, dict):
            return {
                str(key): walk(item, f"{path}/{key}" if path else str(key)) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [walk(item, f"{path}/{index}") for index, item in enumerate(value)]
        if isinstance(value, str) and value.startswith(_REFERENCE):
            raise ValueError(f"a text that begins with `{_REFERENCE}` cannot be kept")
        return value.item() if isinstance(value, np.generic) else value

    return walk(dict(data), ""), arrays


def joined(plain: Any, arrays: Mapping[str, NDArray[np.generic]]) -> Any:
    """Return what `split` was given; keys are strings and tuples lists."""
    if isinstance(plain, str) and plain.startswith(_REFERENCE):
        return arrays[plain.removeprefix(_REFERENCE)]
    if isinstance(plain, dict):
        return {key: joined(value, arrays) for key, value in plain.items()}
    if isinstance(plain, list):
        return [joined(value, arrays) for value in plain]
    return plain


def _files(record: Mapping[str, Any]) -> set[str]:
    return {*record.get("files", {}), *(chunk["file"] for chunk in record.get("rows", ()))}


def _last_rows(
    parts: list[dict[str, NDArray[np.generic]]], keep: int | None
) -> dict[str, NDArray[np.generic]]:
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return rows if keep is None else {name: row[-keep:] for name, row in rows.items()}
