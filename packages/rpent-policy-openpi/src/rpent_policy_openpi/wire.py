"""openpi's messages: msgpack, with NumPy arrays and scalars as maps whose keys are bytes.

An array is `{b"__ndarray__": true, b"data": bytes, b"dtype": "<f4", b"shape": [..]}` in C order, a NumPy scalar
`{b"__npgeneric__": true, b"data": number, b"dtype": "<f4"}`. Objects, structures and complex numbers are not carried.
"""

from __future__ import annotations

from math import prod
from typing import Any

import msgpack
import numpy as np
from rpent.errors import PolicyError
from rpent.rpc.bounded import unpack_bounded

MAX_MESSAGE_BYTES = 64 * 2**20
"""Larger messages are refused before they are read. Three 1080p pictures as float32 have 75 MB, as uint8 19 MB."""

_FORBIDDEN = "VOc"
_MAX_AXES = 8


def pack(value: Any) -> bytes:
    """Return the message.

    Raises:
        PolicyError: It holds something that the protocol does not carry.
    """
    try:
        data: bytes = msgpack.packb(value, default=_encode)
    except (TypeError, ValueError, OverflowError) as error:
        raise PolicyError(f"A message for openpi cannot be written: {error}.") from error
    return data


def unpack(data: bytes) -> Any:
    """Return the message; its arrays are copies that may be written to.

    Raises:
        PolicyError: It is no such message, or too large.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise PolicyError(f"A message has {len(data)} bytes; at most {MAX_MESSAGE_BYTES} are accepted.")
    try:
        return unpack_bounded(data, _decode)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise PolicyError(f"A message is not openpi's msgpack ({type(error).__name__}: {error}).") from error


def _encode(value: Any) -> Any:
    if not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"`{type(value).__name__}` is neither plain data nor an array")
    if value.dtype.kind in _FORBIDDEN:
        raise ValueError(f"the dtype `{value.dtype}` is not carried")
    if isinstance(value, np.ndarray):
        return {
            b"__ndarray__": True,
            b"data": value.tobytes(),
            b"dtype": value.dtype.str,
            b"shape": value.shape,
        }
    return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}


def _decode(fields: dict[Any, Any]) -> Any:
    if b"__ndarray__" in fields:
        dtype, shape = _dtype(fields[b"dtype"]), tuple(fields[b"shape"])
        whole = all(isinstance(size, int) and size >= 0 for size in shape)
        if not whole or len(shape) > _MAX_AXES:
            raise ValueError(f"the shape {shape!r:.80} is not accepted")
        if prod(shape) * dtype.itemsize != len(fields[b"data"]):
            raise ValueError(f"{len(fields[b'data'])} bytes are no array {dtype} {shape}")
        return np.frombuffer(fields[b"data"], dtype).reshape(shape).copy()
    if b"__npgeneric__" in fields:
        return _dtype(fields[b"dtype"]).type(fields[b"data"])
    return fields


def _dtype(text: Any) -> np.dtype[Any]:
    if not isinstance(text, str) or len(text) > 16:
        raise ValueError("a dtype is a short text")
    dtype = np.dtype(text)
    if dtype.kind in _FORBIDDEN or dtype.itemsize == 0:
        raise ValueError(f"the dtype `{dtype}` is not accepted")
    return dtype
