"""Snapshots as bytes: an `.npz` archive of plain arrays with a JSON header. Nothing is pickled."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RpentError

from rpent_manipulation.env.guardrails import GuardrailError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES = 1 << 29
"""What a snapshot may unpack to: a small archive can hold terabytes of zeros."""


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
    with reading():
        stream = io.BytesIO(bytes(data))
        with zipfile.ZipFile(stream) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise SnapshotError(f"The snapshot unpacks to more than {MAX_BYTES >> 20} MB.")
        with np.load(stream, allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != version:
            raise SnapshotError(f"The snapshot has format {header['format']}, this version reads {version}.")
    return header, arrays


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Take data that are not as a snapshot's are for no snapshot: nothing in them is to be trusted.

    Raises:
        SnapshotError: Something was missing, of another type, or of another shape.
    """
    try:
        yield
    except SnapshotError:
        raise
    except (
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
        OSError,
        EOFError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
        GuardrailError,
    ) as error:
        raise SnapshotError("These bytes are not a snapshot of this robot.") from error


def array_like(value: Any, like: Any, what: str) -> Any:
    """Return an array of a snapshot that shall take the place of another.

    Args:
        value: As it was read.
        like: What it replaces: shape and type must be the same.
        what: Its name, for the message.

    Raises:
        SnapshotError: They are not.
    """
    if not isinstance(value, np.ndarray) or (value.shape, value.dtype) != (like.shape, like.dtype):
        raise SnapshotError(f"The snapshot's `{what}` is not of this scene.")
    return value
