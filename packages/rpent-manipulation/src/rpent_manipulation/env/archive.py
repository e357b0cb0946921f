"""Snapshots as bytes: an `.npz` archive of plain arrays with a JSON header. Nothing is pickled."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Mapping


class SnapshotError(RpentError):
    """Bytes that are no snapshot, or one of another scene."""


def pack(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """Return a snapshot.

    Args:
        header: Plain data, with the `format` that `unpack` asks for.
        arrays: Arrays by name; `header` is taken.
    """
    buffer = io.BytesIO()
    np.savez_compressed(buffer, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    return buffer.getvalue()


def unpack(data: bytes, *, version: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a snapshot's header and arrays.

    Args:
        data: What `pack` made.
        version: The only `format` that is read.

    Raises:
        SnapshotError: These bytes are no snapshot of that format.
    """
    try:
        with np.load(io.BytesIO(bytes(data)), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != version:
            raise SnapshotError(f"The snapshot has format {header['format']}, this version reads {version}.")
    except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise SnapshotError("These bytes are not a snapshot of this robot.") from error
    return header, arrays
